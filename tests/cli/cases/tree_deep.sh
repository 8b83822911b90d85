# Searches a tree with paths of more than 4,096 bytes, with more directories than may be open, and with a link that
# leads nowhere.
mkdir t
top=$PWD
cd t
for i in $(seq 40); do
    echo "foo $i" > f
    name=$(printf '%0200d' $i)
    mkdir $name
    cd $name
done
ln -s nowhere lost
cd $top
ulimit -n 20
trawl -rh foo t | sort -V | head -n 2
trawl -r foo t | wc
trawl -rc foo t | wc
trawl -rL foo t | wc
trawl -R foo t 2>&1 > /dev/null | wc
(cd t && trawl -rl 'foo 40' | wc)

#!/bin/sh
# With --engine=cuda on the simulated driver, the command must print the same as with --engine=cpu; without a device, or
# with a broken driver, cuda is an error and auto is not.
#     command.sh TRAWL FOLDER-WITH-SIMULATED-LIBCUDA [gallery]
# With the argument gallery, only the tests of published algorithms run; without, only the others.
set -u
trawl=$1
driver=$2
part=${3:-product}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

cd "$work" || exit 1
i=0
while [ $i -lt 400 ]; do
    echo "line $i: the quick brown fox, ABRACADABRA $((i * 7919 % 1000)) jumps over abababab"
    i=$((i + 1))
done >text
printf 'fox\nabab\nABRA\nline 1\n' >patterns

compare() {
    "$trawl" --engine=cpu "$@" <text >cpu.out 2>cpu.err
    cpu_status=$?
    LD_LIBRARY_PATH=$driver "$trawl" --engine=cuda "$@" <text >cuda.out 2>cuda.err
    cuda_status=$?
    if [ $cpu_status -ne $cuda_status ] || ! cmp -s cpu.out cuda.out || ! cmp -s cpu.err cuda.err; then
        echo "differs (status $cpu_status and $cuda_status): trawl $*"
        diff cpu.out cuda.out | head -n 5
        cat cuda.err
        failed=$((failed + 1))
    fi
}

expect_error() {
    if [ "$1" -ne 2 ] || ! grep -q "$2" cuda.err; then
        echo "expected status 2 and '$2', got status $1 and: $(cat cuda.err)"
        failed=$((failed + 1))
    fi
}
product() {
    compare -c fox text
    compare fox text
    awk 'BEGIN { for (i = 0; i < 9; i++) printf "%3000s\nababab\n", "" }' >few
    compare -n -o abab few # a device finds the second abab of a line, too
    compare -n -b -o ab text
    compare -i abracadabra text
    compare -w line text
    compare -f patterns text
    compare -o -f patterns text
    compare -v fox text
    compare -m 3 brown text
    compare -c 'ABRACADABRA 7' -
    compare 'no such thing' text
    compare -n --pattern-number -f patterns -e fox text
    compare -o --pattern-number -i -f patterns text
    compare --count-by-pattern -f patterns text -
    seq -f 'line %g:' 0 7 90000 >many
    compare --count-by-pattern -f many text

    "$trawl" --engine=cuda fox text >cuda.out 2>cuda.err
    status=$?
    # On a machine with a real device, this command succeeds.
    if [ $status -eq 2 ]; then
        expect_error $status 'cuda'
    fi
    LD_LIBRARY_PATH=$driver TRAWL_SIM_DEVICES=0 "$trawl" --engine=cuda fox text >cuda.out 2>cuda.err
    expect_error $? 'no device'
    LD_LIBRARY_PATH=$driver TRAWL_SIM_DEVICES=0 "$trawl" --engine=cuda --instruction-set=portable \
        fox text >cuda.out 2>cuda.err
    expect_error $? '^trawl: --engine=cuda: .*no device'
    LD_LIBRARY_PATH=$driver TRAWL_SIM_FAIL_CALL=30 "$trawl" --engine=cuda fox text >cuda.out 2>cuda.err
    expect_error $? 'simulated device 0'
    "$trawl" --engine=cpu fox text >cpu.out
    LD_LIBRARY_PATH=$driver TRAWL_SIM_FAIL_CALL=1 "$trawl" fox text >cuda.out || failed=$((failed + 1))
    cmp cpu.out cuda.out || failed=$((failed + 1))
}

# A GPU runs an algorithm that only the CUDA engine has, without --engine, and --stats says so.
alone() {
    "$trawl" --engine=cpu -n -b -o 'ab' text >cpu.out
    LD_LIBRARY_PATH=$driver "$trawl" --algorithm="$1" --stats -n -b -o 'ab' text >cuda.out 2>cuda.err
    if ! cmp cpu.out cuda.out || ! grep -q '^engine: cuda$' cuda.err ||
        ! grep -q '^seconds of device kernels: 0\.[0-9]*[1-9]' cuda.err ||
        ! grep -q '^seconds of device copies: .* to devices, .* back' cuda.err ||
        ! grep -q '^seconds of sorting and verifying what devices found: ' cuda.err; then
        echo "not as it should be: --algorithm=$1: $(cat cuda.err)"
        failed=$((failed + 1))
    fi
}

gallery() {
    compare --algorithm=bmh -n fox text
    compare --algorithm=hp -i -o abracadabra text
    LC_ALL=C.UTF-8 # where the long s is a letter of "kiosk"
    export LC_ALL
    printf 'a kio\305\277k, KIOSK and kiosks\n' >signs
    compare --algorithm=bmh -i -n -b -o kiosk signs
    compare --algorithm=bmh -i -w -o kiosk signs
    unset LC_ALL
    alone pss-gm:64
    alone bmh:7x16
    alone pss-gr:64,debug
    alone bf-swift:64
    if ! grep -q '^child grids' cuda.err; then
        echo "no child grids: $(cat cuda.err)"
        failed=$((failed + 1))
    fi
    for name in pss-gm bmh:4x4; do
        "$trawl" --engine=cpu --algorithm=$name fox text >cuda.out 2>cuda.err
        expect_error $? 'engine "cuda"'
    done
    LD_LIBRARY_PATH=$driver "$trawl" --engine=cuda --algorithm=naive fox text >cuda.out 2>cuda.err
    expect_error $? 'the CUDA engine does not have algorithm naive'
    LD_LIBRARY_PATH=$driver TRAWL_SIM_DEVICES=0 "$trawl" --algorithm=pss-gm fox text >cuda.out 2>cuda.err
    expect_error $? '^trawl: --algorithm: pss-gm needs --engine=cuda: .*no device.* --list-algorithms says'
    LD_LIBRARY_PATH=$driver TRAWL_SIM_DEVICES=0 "$trawl" --engine=cuda --algorithm=pss-gm fox text >cuda.out 2>cuda.err
    expect_error $? '^trawl: --engine=cuda: .*no device'
    "$trawl" --engine=cpu fox text >cpu.out
    LD_LIBRARY_PATH=$driver TRAWL_SIM_DEVICES=0 "$trawl" --algorithm=bmh fox text >cuda.out || failed=$((failed + 1))
    cmp cpu.out cuda.out || failed=$((failed + 1))
}

"$part"
echo "$part: $failed wrong"
[ $failed -eq 0 ]

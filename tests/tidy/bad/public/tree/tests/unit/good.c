/* good: calls what it names. */
int main(void)
{
    trawl_good();
    trawl_paired(0);
    trawl_bare();
    trawl_alone();
    return trawl_untested_but_longer();
}

# make-text: English-like text for a machine without any, the same bytes on every run and awk.
# awk -v lines=40000 -v seed=1 -f make-text.awk
# Words are drawn with falling frequency (the square of a uniform number). The generator is Park and
# Miller's (1988), whose products stay below 2^53, so that each awk computes the same.
function random(bound)
{
    state = (state * 16807) % 2147483647
    return int(state / 2147483647 * bound)
}

BEGIN {
    state = seed + 1
    count = split("the of and to in that he shall unto for I his a they be is him not them it " \
        "with all thou thy was which my me said but have as LORD their from when this out were " \
        "are you upon by man up into there then people came had on one if house come before " \
        "Israel king son therefore land hand children men day went saying make over servant " \
        "among great earth heaven water stone river mountain city gate wall field seed fruit " \
        "bread night morning evening light darkness voice word book name heart eyes brother " \
        "father mother daughter wife prophet priest temple altar offering covenant statute " \
        "judgment mercy wisdom counsel righteousness iniquity wilderness multitude tabernacle " \
        "Jerusalem Babylon Egypt Jordan Lebanon Nebuchadnezzar Melchizedek", word, " ")
    for (line = 1; line <= lines; line++) {
        text = "Verse " line ":"
        words = 8 + random(30)
        for (i = 0; i < words; i++) {
            u = random(65536) / 65536
            text = text " " word[1 + int(u * u * count)]
        }
        print text "."
    }
}

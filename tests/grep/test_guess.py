"""Compares --encoding=guess with the program uchardet, and the converted text with Python's codecs.

The texts are sentences of this file in random order, encoded by Python. `python tests/grep/test_guess.py` prints how often
the guess reads them right: docs/command.md has the table.
"""

import os
import random
import shutil
import subprocess

import pytest
from harness import IS_SANITIZED, NOT_JUDGED, SEED, TRAWL, amount, write

LANGUAGES = {
    "Russian": (["cp1251", "koi8-r", "iso8859-5", "cp866"], """Вчера вечером мы долго гуляли по берегу реки. Письмо лежало на столе,
        и никто его не открывал. Завтра будет дождь, возьмите с собой зонт. Библиотека закрывается в шесть часов.
        Она спросила, где находится ближайшая станция. Новый дом построили за три месяца."""),
    "Greek": (["cp1253", "iso8859-7"], """Χθες το βράδυ περπατήσαμε πολύ κοντά στη θάλασσα. Το γράμμα ήταν πάνω στο τραπέζι.
        Αύριο θα βρέξει και πρέπει να πάρετε ομπρέλα. Η βιβλιοθήκη κλείνει στις έξι. Πού είναι ο πιο κοντινός σταθμός;"""),
    "Japanese": (["shift_jis", "euc_jp", "iso2022_jp"], """昨日の夜、私たちは川のそばを長く歩きました。手紙は机の上にあり、誰も開けませんでした。
        明日は雨が降るので、傘を持って行ってください。図書館は六時に閉まります。一番近い駅はどこですか。"""),
    "Chinese": (["gb18030", "big5"], """昨天晚上我家在河邊走了很久。信放在桌上，有人打開了它。明天有雨，記得出去要拿雨傘。
        新的房子三個月就做好了。最近的車站在哪里？他說他不知道。"""),
    "Korean": (["euc_kr"], """어제 저녁에 우리는 강가를 오래 걸었습니다. 편지는 책상 위에 있었고 아무도 열지 않았습니다.
        내일은 비가 오니 우산을 가져가세요. 도서관은 여섯 시에 닫습니다. 가장 가까운 역은 어디입니까?"""),
    "French": (["cp1252", "iso8859-15"], """Hier soir, nous avons marché très longtemps près de la rivière. La lettre était posée sur la
        table et personne ne l'a ouverte. Demain il pleuvra, emportez un parapluie. La bibliothèque ferme à six heures. Où est
        la gare la plus proche ? Ça me plaît beaucoup, répondit-elle."""),
    "German": (["cp1252"], """Gestern Abend gingen wir lange am Fluß spazieren. Der Brief lag auf dem Tisch, und niemand öffnete
        ihn. Morgen soll es regnen, nehmt Schirme für alle mit. Die Bücherei schließt um sechs. Wo ist der nächste Bahnhof?"""),
    "Polish": (["cp1250", "iso8859-2"], """Wczoraj wieczorem długo spacerowaliśmy nad rzeką. List leżał na stole i nikt go nie
        otworzył. Jutro będzie padać, weźcie parasole. Biblioteka zamyka się o szóstej. Gdzie jest najbliższa stacja? Książka
        była świetna, powiedział żołnierz."""),
    "Turkish": (["cp1254"], """Dün akşam nehrin kıyısında uzun süre yürüdük. Mektup masanın üstündeydi ve kimse açmadı. Yarın yağmur
        yağacak, şemsiyenizi alın. Kütüphane altıda kapanıyor. En yakın istasyon nerede? Çok güzel, diye cevap verdi."""),
    "Hebrew": (["cp1255"], """אתמול בערב הלכנו זמן רב ליד הנהר. המכתב היה על השולחן ואיש לא פתח אותו. מחר ירד גשם, קחו
        מטרייה. הספרייה נסגרת בשש. איפה התחנה הקרובה ביותר?"""),
}  # fmt: skip
FORMS = [(language, codec) for language, (codecs, _) in LANGUAGES.items() for codec in [*codecs, "utf-8"]]
FILES = 100


def text_of(rng, language, most):
    """Return lines of the language's sentences, with some English ones between."""
    text = " ".join(LANGUAGES[language][1].split())
    for mark in ".?。？":
        text = text.replace(mark, mark + "\n")
    parts = [one.strip() + "\n" for one in text.split("\n") if one.strip()]
    return "".join(rng.choice([*parts, *parts, "line 12: no error\n"]) for _ in range(rng.randint(1, most)))


def drawn(rng, folder, most):
    """Write FILES texts. Return (name, codec, text, bytes) of each."""
    made = []
    for i in range(FILES):
        language, codec = rng.choice(FORMS)
        text = text_of(rng, language, most)
        data = text.encode(codec, "ignore")
        made.append(("%02d" % i, codec, data.decode(codec), data))
        write(os.path.join(folder, made[-1][0]), data)
    return made


def is_read(data, codec):
    try:
        return data.decode(codec)
    except (UnicodeDecodeError, LookupError):
        return None


def guessed(folder, name, *options):
    """Return what trawl prints of a file, and the encoding that it names, or None."""
    found = subprocess.run([TRAWL, "--encoding=guess", "-a", *options, "", name], cwd=folder, capture_output=True,
                           env={**os.environ, "LC_ALL": "C.UTF-8"})  # fmt: skip
    told = found.stderr.decode()
    assert told == "" or told.startswith(f"trawl: {name}: read as ") and told.endswith(", a guess\n"), told
    return found.stdout, told.removeprefix(f"trawl: {name}: read as ").removesuffix(", a guess\n") or None


@pytest.mark.skipif(IS_SANITIZED, reason="builds with sanitizers have small buffers, and guess from less of a text")
@pytest.mark.skipif(shutil.which("uchardet") is None, reason="uchardet is not here")
def test_guess(folder):
    """Check FILES texts at a time: the name is uchardet's, unless the text is UTF-8, and the text is what Python reads."""
    rng, read = random.Random(SEED), 0
    if subprocess.run([TRAWL, "--encoding=guess", "", os.devnull], capture_output=True).stderr:
        pytest.skip(NOT_JUDGED + "libuchardet")
    for _ in range(amount(50)):
        made = drawn(rng, folder, 12)
        names = subprocess.run(
            ["uchardet", *[one[0] for one in made]], cwd=folder, capture_output=True, text=True
        ).stdout
        for (name, _, text, data), line in zip(made, names.splitlines(), strict=True):
            found, encoding = guessed(folder, name)
            if is_read(data, "utf-8") is not None and (b"\x1b" not in data or not data.isascii()):
                assert (found, encoding) == (data, None)
                continue
            wanted = line.rpartition(": ")[2]
            assert encoding == (None if wanted in ("unknown", "ASCII", "UTF-8") else wanted), line
            if encoding is None:
                assert found == data
            elif (right := is_read(data, encoding)) is not None and not any("\x80" <= c < "\xa0" for c in right):
                read += found == right.encode()
                assert found == right.encode(), (name, encoding)
    assert read > amount(50) * FILES // 3


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16(folder, codec):
    """Check that UTF-16 without a mark is read and named, and that other bytes with NULs are not: other texts with
    some NULs, and random bytes and small numbers, with any length."""
    rng, read, wrong, count = random.Random(SEED), 0, 0, amount(400)
    for i in range(count):
        language, other = rng.choice(FORMS)
        text = text_of(rng, language, 12)
        data = text.encode(codec)
        write(os.path.join(folder, "a"), data)
        found, encoding = guessed(folder, "a")
        read += (found, encoding) == (text.encode(), codec.upper().replace("-L", "L").replace("-B", "B"))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + "\0" + text[at:]
        other = text.encode(other, "ignore")
        kind = [other, rng.randbytes(rng.randint(40, 400)) + b"\0",
                b"".join(rng.randrange(1000).to_bytes(4, "little") for _ in range(rng.randint(1, 90)))][i % 3]  # fmt: skip
        write(os.path.join(folder, "b"), kind)
        wrong += guessed(folder, "b")[1] is not None
    assert read > 0.98 * count - 1 and wrong <= max(2, count / 100)  # a short run has few


if __name__ == "__main__":
    import collections
    import tempfile

    right, all_of = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        for _most, _label in ((1, "a line"), (4, "up to 4 lines"), (40, "up to 40 lines")):
            _rng = random.Random(1)
            for _ in range(20):
                for _name, _codec, _text, _data in drawn(_rng, place, _most):
                    all_of[_codec, _label] += 1
                    right[_codec, _label] += guessed(place, _name)[0] == _text.encode()
    for _codec in dict.fromkeys(codec for _, codec in FORMS):
        print(_codec, *[f"{100 - 100 * right[key] / all_of[key]:.0f} %" for key in all_of if key[0] == _codec])

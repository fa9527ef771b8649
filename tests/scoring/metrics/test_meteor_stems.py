"""English stems: each step of the stemmer by hand, and made-up words as METEOR's own stemmer has them."""

from __future__ import annotations

import random
import subprocess

import pytest

from sightline.scoring.metrics.captions.meteor_lexicon import find_jar
from sightline.scoring.metrics.captions.meteor_stems import stem
from tests.scoring.metrics.java_programs import find_java

STEPS = {
    "too short": "a:a is:is 's:'s by:by",
    "whole words": """
        skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli
        singly:singl sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes
    """,
    "whole words without s": """
        inning:inning innings:inning outings:outing canning:canning herrings:herring earring's:earring
        proceeds:proceed exceed:exceed succeeds:succeed
    """,
    "apostrophes": "dog's:dog dogs':dog boys's':boy 'tis:tis 'yes:yes ''s: ''':' o'clock:o'clock don't:don't it's:it",
    "1a": "caresses:caress ties:tie cries:cri died:die tried:tri gas:gas this:this gaps:gap bus:bus kiss:kiss",
    "1b": """
        agreed:agre feed:feed agreedly:agre bleed:bleed played:play sing:sing bring:bring luxuriated:luxuri
        hopping:hop hoped:hope hoping:hope fixed:fix seemingly:seem supposedly:suppos troubled:troubl sized:size
        falling:fall added:ad egged:eg
    """,
    "1c": "cry:cri by:by say:say enjoy:enjoy happy:happi",
    "2": """
        conditional:condit relational:relat valency:valenc hesitancy:hesit conformably:conform probably:probabl
        differently:differ digitizer:digit vietnamization:vietnam operator:oper feudalism:feudal formality:formal
        radically:radic hopefulness:hope carefully:care callousness:callous decisiveness:decis sensitivity:sensit
        sensibility:sensibl analogy:analog pedagogy:pedagogi harmlessly:harmless quickly:quick firmly:firm
        woolly:woolli biologist:biologist
    """,
    "3": """
        national:nation formalize:formal duplicate:duplic electricity:electr electrical:electr hopeful:hope
        goodness:good formative:format demonstrative:demonstr native:nativ
    """,
    "4": """
        revival:reviv allowance:allow inference:infer airliner:airlin adjustable:adjust defensible:defens
        irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt decision:decis
        dominion:dominion activate:activ effective:effect
    """,
    "5": "rate:rate cease:ceas probate:probat controll:control roll:roll bee:bee there:there",
    "prefixes": "generous:generous generate:generat commune:commune communism:communism arsenic:arsenic",
    "consonant y": "youth:youth yyyy:yyyi boyish:boyish saying:say Yy:Yy boY:boY boYy:boYi boYay:boyay",
    "other letters": "北京:北京 机ies:机ie 机场ies:机场i 😀ies:😀i 😀y:😀i a😀ed:a😀 éed:éed cafés:café 3rds:3rds",
}
PAIRS = [pytest.param(*pair.split(":"), id=f"{step}-{pair}") for step, pairs in STEPS.items() for pair in pairs.split()]
SUFFIXES = """
' 's 's' s ss us sses ies ied ed eed ing edly eedly ingly at bl iz bb dd ff gg mm nn pp rr tt y Y
tional ational enci anci abli entli izer ization ation ator alism aliti alli fulness ousli ousness iveness iviti
biliti bli ogi logi fulli lessli li alize icate iciti ical ful ness ative
al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion sion tion e l ll
"""
STARTS = "gener commun arsen succeed proceed exceed canning inning earring herring outing sky skis dying early news"
LETTERS = "abcdefghijklmnopqrstuvwxyz" + "aeiouy" * 3 + "'"
OTHERS = "0123456789-_.,AY’éüß机场п😀𝒳"


@pytest.mark.parametrize(("word", "expected"), PAIRS)
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_half_characters_are_kept() -> None:
    assert [stem(word) for word in ("\udfff", "\ud800s", "😀\udfffed")] == ["\udfff", "\ud800s", "😀\udfffed"]


def made_up(source: random.Random) -> str:
    """A word that's likely to meet several rules, and now and then a letter that none of them knows."""
    start = (
        source.choice(STARTS.split())
        if source.random() < 0.2
        else "".join(source.choices(LETTERS, k=source.randint(1, 6)))
    )
    word = start + "".join(source.choices(SUFFIXES.split(), k=source.randint(0, 3)))
    if source.random() < 0.2:
        place = source.randint(0, len(word))
        word = word[:place] + source.choice(OTHERS) + word[place:]
    return word


@pytest.mark.slow
def test_stems_are_those_of_meteor() -> None:
    java, jar = find_java(), find_jar("meteor/meteor-1.5.jar")
    if java is None or jar is None:
        pytest.skip("there is no Java or no pycocoevalcap here")
    source = random.Random(15)
    words = [made_up(source) for _ in range(20_000)]
    options = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")
    said = subprocess.run(
        [java, *options, "-cp", str(jar), "Stemmer", "en"],
        input="\n".join(words).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    expected = said.stdout.decode().replace("\r\n", "\n").split("\n")[:-1]
    assert len(expected) == len(words)
    unequal = [case for case in zip(words, map(stem, words), expected, strict=True) if case[1] != case[2]]
    assert not unequal

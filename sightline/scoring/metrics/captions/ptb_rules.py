"""Rules of the Penn Treebank tokenizer that the COCO caption code runs, as regular expressions with actions.

They give the tokens of Stanford's `PTBTokenizer` 3.4.1 with its default options; a test compares the automaton of the
rules with that of the program. The longest match counts, and of equally long ones that of the first rule. A bare letter
stands for both of its cases, one in brackets for itself; `{name}` is a pattern of `PATTERNS` or a set of
`character_sets`. What no rule matches is dropped.

`tools/caption_automaton.py` compiles the rules into `ptb_automaton.npz`.
"""

from __future__ import annotations

from enum import IntEnum

from sightline.scoring.metrics.captions.automaton import Rule, Tables, compile_rules
from sightline.scoring.metrics.captions.ptb_characters import character_sets


class Form(IntEnum):
    """How a token is written."""

    TEXT = 0
    WORD = 1
    """Without soft hyphens."""
    NOTHING = 2
    UNBROKEN = 3
    """Its spaces as no-break spaces."""
    PHONE = 4
    """Likewise, and its parentheses as -LRB- and -RRB-."""
    SMILEY = 5
    """Its parentheses as -LRB- and -RRB-."""
    AMPERSAND = 6
    """Its &amp; as &."""
    QUOTE = 7
    """With the quotes of LaTeX."""
    HYPHENS = 8
    """Up to four are a dash."""
    BRACKET = 9
    FRACTION = 10
    CURRENCY = 11
    ANGLE = 12
    """< or > also where it is an entity."""
    PUNCTUATION = 13
    """A dash, an ellipsis or an opening single quote, which the COCO caption code takes out again."""


class Keep(IntEnum):
    """Which part of a match is the token: rules may look at what follows."""

    ALL = 0
    BUT_ONE = 1
    """All but the last character."""
    BUT_TWO = 2
    TO_STOP = 3
    """To the first full stop."""
    TO_BREAK = 4
    """To the first white space; the full stop before it is read again. A single letter loses it."""
    TO_AUXILIARY = 5
    """To the apostrophe of 's, 'll and the like."""
    TO_NOT = 6
    """To n't."""
    FIRST_HALF = 7
    """Two words that are written as one."""


KEEP_SHIFT = 5


def _action(form: Form, keep: Keep = Keep.ALL) -> int:
    return keep << KEEP_SHIFT | form


_NOT_IN_ADDRESS = ' \t\n\f\r"<>|'
_INSIDE, _ENDING = rf"[^{_NOT_IN_ADDRESS}(){{}}]", rf"[^{_NOT_IN_ADDRESS}.!?(){{}},-]"
_EYES = "-\\^x=~<>'"
PATTERNS = {
    # characters
    "space": "[ \t\u00a0\u2000-\u200a\u3000]",
    "break": "{space}|\r|\r?\n|[\u2028\u2029\v\f\u0085]",
    "apostrophe": "['\u0092\u2019]|&apos;",
    "quote": "{apostrophe}|[`\u0091\u2018\u201b]",
    "double": '"|&quot;',
    "ampersand": "&|&amp;",
    "hyphen": "[-_\u058a\u2010\u2011]",
    "comma": "[,;:\u3001]",
    "inword": "{wordletter}|&[aeiouAEIOU](acute|grave|uml);",
    "alphanumeric": "{letter}|{digit}",
    # words
    "word": "{inword}({inword}|{digit})*([.!?]{inword}({inword}|{digit})*)*",
    "auxiliary": "{apostrophe}([msdMSD]|re|ve|ll)",
    "not": "n{quote}t",
    "before_not": "[A-Za-z\u00ad]*[A-MO-Za-mo-z]\u00ad*",
    "apostrophized": "{apostrophe}(n{apostrophe}?|em|till?|cause|[2-9]0s)|([lLdDjJ]|Dunkin|somethin|ol){apostrophe}"
    "|[A-HJ-XZn]{quote}{letter}{letter}+|{letter}+[aeiouyAEIOUY]{quote}[aeiouA-Z]{letter}*|o{quote}(o|clock)"
    "|cont'd\\.?|c'mon|e'er|ev'ry|li'l|nat'l|nor'easter|s'mores",
    "treebank": "-(l|r)(c|r|s)b-|pro-|anti-|S{ampersand}(P-500|Ls)|Cap{apostrophe}n|c{apostrophe}est",
    # names with hyphens, slashes and other signs
    "elided": "([dDoOlL]{quote}{alphanumeric})?{alphanumeric}+",
    "hyphenated": "{elided}({hyphen}{elided})*",
    "compound": "[A-Za-z0-9][A-Za-z0-9.,\u00ad]*(-([A-Za-z0-9\u00ad]+|{initials}\\.))+",
    "joined": "[A-Z]+(([+&]|&amp;)[A-Z]+)+",
    "parted": "[A-Za-z0-9]+(-[A-Za-z]+){0,2}",
    "alternatives": "{parted}(\\\\?/{parted}){1,2}",
    # abbreviations; some are such only with a capital letter
    "nation": "(Canada|Sino|Korean|EU|Japan|non)-U\\.S|U\\.S\\.-(U\\.K|U\\.S\\.S\\.R)",
    "initials": "[A-Za-z](\\.[A-Za-z])+|{nation}",
    "acronym": "[A-Za-z](\\.[A-Za-z])*|{nation}",
    "at_end": "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tue|Tues|Wed|Thu|Thurs|Fri"
    "|Ala|Ariz|[A]z|[A]rk|Calif|Colo|Conn|Ct|Dak|[D]el|Fla|Ga|[I]ll|Ind|Kans?|Ky|[L]a|[M]ass|Md|Mich|Minn|[M]iss|Mo"
    "|Mont|Neb|Nev|Okla|[O]re|[P]a|Penn|Tenn|[T]ex|Va|Vt|[W]ash|Wisc?|Wyo|Jr|Sr|Bros|(Ed|Ph)\\.D|Esq"
    "|Inc|Cos?|Corp|Pp?t[ye]s?|Ltd|Plc|Bancorp|Bhd|Assn|Univ|Intl|Sys|al|bldg|blvd|etc|rd|rt|seq|tel|est|ext|sq",
    "within": "a\\.k\\.a|adj|adm|adv|alex|assoc|asst|attys?|ave|brig|capt|cf|cie|cmdr|col|comdr|cpl|dept|det|drs?|elec"
    "|ens|ft|gen|govs?|hon|insp|invt|jos|lieut|lt|maj|messrs|M[tf]g|mlle|mme|mrs?|ms|msgr|mt|natl|pfc|ph|pres|profs?"
    "|pvt|reps?|rev|sens?|sfc|sgt|spc|ste?|supts?|treas|vs|wm",
    "before_number": "art|bldg|ca|figs?|nos?|op|pp|prop",
    "opener": "[A](|bout|ccording|dditionally|fter|n|s|t)|[B]ut|[E]arlier|[H](e|er|ere|owever)|[I](f|n|t)|[L]ast"
    "|[M](any|ore|r\\.|s\\.)|[N]ow|[O](nce|ne|ther|ur)|[S](he|ince|o|ome|uch)|[T]h(at|e|eir|en|ere|ese|ey|is)"
    "|[W](e|hat|hen|hile)|[Y](et|ou)|{tag}",
    # numbers
    "number": "[-+]?({digit}+|{digit}*([.:,\u00ad\u066b\u066c]{digit}+)+)",
    "date": "{digit}{1,2}[-/]{digit}{1,2}[-/]{digit}{2,4}",
    "fraction": "({digit}{1,4}[- \u00a0])?{digit}{1,4}(\\\\?/|\u2044){digit}{1,4}",
    "script": "[\u207a\u207b\u208a\u208b]?([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+|[\u2080-\u2089]+)",
    "phone": "(\\([0-9]{2,3}\\)[ \u00a0]?|((\\+\\+?)?[0-9]{2,4}[- \u00a0])?[0-9]{2,4}[- \u00a0]"
    "|(\\+\\+?)[0-9]{2,4}[- \u00a0])[0-9]{3,4}[- \u00a0]?[0-9]{3,5}"
    "|((\\+\\+?)?[0-9]{2,4}\\.)?[0-9]{2,4}\\.[0-9]{3,4}\\.[0-9]{3,5}",
    # addresses, files and markup
    "url": f"https?://{_INSIDE}+{_ENDING}",
    # the range from the comma to the underscore has digits and capitals
    "host": f"www\\.([^{_NOT_IN_ADDRESS}.!?(){{}},]+\\.)+[a-zA-Z]{{2,4}}"
    f"|([^{_NOT_IN_ADDRESS}`'.!?(){{}},-_$]+\\.)+(com|net|org|edu)",
    "page": f"{{host}}(/[^{_NOT_IN_ADDRESS}()]+{_ENDING})?",
    "email": f"(&lt;|<)?[a-zA-Z0-9][^{_NOT_IN_ADDRESS}()\u00a0{{}}]*@([^{_NOT_IN_ADDRESS}(){{}}.\u00a0]+\\.)*"
    f"[^{_NOT_IN_ADDRESS}(){{}}.\u00a0]+(&gt;|>)?",
    "file": "({inword}|{digit})+(\\.({inword}|{digit})+)*\\.(bat|bmp|c|class|cgi|cpp|dll|docx?|exe|gif|gz|h|html?|jar"
    "|java|jpe?g|mov|mp3|pdf|php|pl|png|ppt|ps|py|sql|tar|txt|wav|x|xml|zip)",
    "name": "[A-Za-z][A-Za-z0-9_:.-]*",
    "attribute": "{name}( *= *('[^']*'|\"[^\"]*\"))?",
    "tag": "<([!?][A-Za-z-][^>\r\n]*|{name}( +{attribute})* */?|/{name}) *>",
    # faces; the first of the second kind takes everything up to the next <
    "smiley": "[<>]?[:;=][-o*']?[()DPdpO\\\\{@|\\[\\]]",
    "face": f"[\\^x=~<>]\\.\\[\\^x=[^<]*<>\\]|[{_EYES}]_[{_EYES}]|\\([{_EYES}][_.]?[{_EYES}]\\)"
    "|\\([\\^x=~<>']-[\\^x=~<>'`]\\)",
}

RULES = (
    (Form.TEXT, Keep.ALL, "c\\+\\+|[cCfF]#"),
    (Form.TEXT, Keep.FIRST_HALF, "cannot|gonna|gotta|lemme|gimme|wanna|'tis|'twas"),
    (Form.UNBROKEN, Keep.ALL, "{tag}"),
    (Form.PUNCTUATION, Keep.ALL, "&(MD|mdash|ndash);|[\u0096\u0097\u2013-\u2015]"),
    (Form.TEXT, Keep.ALL, "&(HT|TL|UR|LR|QC|QL|QR|odq|cdq|#[0-9]+);"),
    (Form.WORD, Keep.TO_NOT, "{before_not}{not}"),
    (Form.WORD, Keep.TO_AUXILIARY, "{word}{auxiliary}"),
    (Form.WORD, Keep.ALL, "{word}"),
    (Form.TEXT, Keep.ALL, "{apostrophized}|{url}|{page}|{email}|@[a-zA-Z_][a-zA-Z_0-9]*|#{inword}+"),
    (Form.QUOTE, Keep.BUT_ONE, "({auxiliary}|{not})[^A-Za-z]"),
    (Form.PUNCTUATION, Keep.BUT_TWO, "'[A-Za-z][^ \t\n\r\u00a0]"),
    (Form.QUOTE, Keep.ALL, "{auxiliary}|{not}"),
    (Form.TEXT, Keep.ALL, "{date}"),
    (Form.WORD, Keep.ALL, "{number}"),
    (Form.TEXT, Keep.ALL, "{script}"),
    (Form.UNBROKEN, Keep.ALL, "{fraction}"),
    (Form.FRACTION, Keep.ALL, "[\u00bc-\u00be\u2153-\u215e]"),
    (Form.AMPERSAND, Keep.ALL, "{treebank}|{joined}"),
    (Form.WORD, Keep.BUT_ONE, "{compound}\\.{comma}"),
    (Form.AMPERSAND, Keep.BUT_ONE, "{joined}\\.{comma}"),
    (Form.TEXT, Keep.ALL, "{alternatives}"),
    (Form.CURRENCY, Keep.ALL, "[\u0080\u00a2-\u00a5\u060b\u0e3f\u20a0\u20a4\u20ac\uffe0\uffe1\uffe5\uffe6]"),
    (Form.TEXT, Keep.ALL, "[A-Z]*\\$"),
    (Form.TEXT, Keep.TO_BREAK, "({at_end})\\.{break}({break}|{capital}|{tag})"),
    (Form.TEXT, Keep.BUT_TWO, "({at_end})\\.{any}{any}"),
    (Form.TEXT, Keep.ALL, "({at_end})\\."),
    (Form.SMILEY, Keep.ALL, "{face}"),
    (Form.TEXT, Keep.ALL, "({acronym}|{within})\\."),
    (Form.TEXT, Keep.BUT_ONE, "{acronym}{break}|({within}|[M]iss){space}"),
    (Form.PHONE, Keep.ALL, "{phone}"),
    (Form.WORD, Keep.ALL, "{compound}"),
    (Form.TEXT, Keep.ALL, "{hyphenated}"),
    (Form.WORD, Keep.BUT_ONE, "{word}\\.{comma}"),
    (Form.TEXT, Keep.BUT_ONE, "{hyphenated}\\.{comma}"),
    (Form.TEXT, Keep.TO_STOP, "(co|pte|pty)\\.{space}(ltd|lim)"),
    (Form.TEXT, Keep.TO_BREAK, "{acronym}\\.{break}+{opener}{break}"),
    (Form.TEXT, Keep.TO_STOP, "{before_number}\\.{break}?{digit}"),
    (Form.TEXT, Keep.BUT_ONE, "{file}({break}|[.?!,])"),
    (Form.SMILEY, Keep.BUT_ONE, "{smiley}[^A-Za-z0-9]"),
    (Form.QUOTE, Keep.BUT_ONE, "{double}[A-Za-z0-9$]"),
    (Form.QUOTE, Keep.ALL, "{apostrophe}|''|[`\u0091-\u0094\u00ab\u00bb\u2018-\u201f\u2039\u203a]{1,2}|{double}"),
    (Form.TEXT, Keep.BUT_ONE, "{apostrophe}[0-9][0-9]{break}"),
    (Form.TEXT, Keep.BUT_ONE, "y{apostrophe}{letter}"),
    (Form.ANGLE, Keep.ALL, "<|&lt;|>|&gt;"),
    (Form.BRACKET, Keep.ALL, "[(){}\\[\\]]"),
    (Form.PUNCTUATION, Keep.ALL, "\\.{3,5}|\\.([ \u00a0]\\.){2,4}|[\u0085\u2026]"),
    (Form.HYPHENS, Keep.ALL, "-+"),
    (Form.AMPERSAND, Keep.ALL, "&amp;"),
    (Form.TEXT, Keep.ALL, "[!?]+|@+|#+|_+|<<|>>|\\*+|(\\\\\\*){1,3}|[/,;:.=%&\\\\^~+|\u3001\u2044]"),
    (Form.TEXT, Keep.ALL, "[\u207a\u207b\u208a\u208b]|{symbol}"),
    (
        Form.NOTHING,
        Keep.ALL,
        "{space}+|[\u0000\u007f\u200b\u200e\u200f\ufeff]|&nbsp;|\r|\r?\n|[\u2028\u2029\v\f\u0085]",
    ),
)

_ALIKE = {"i": "\u0130\u0131", "s": "\u017f", "k": "\u212a"}
"""Characters beyond ASCII that are one of its letters in another case."""


def compile_automaton() -> Tables:
    """The automaton of all rules; takes a second or two."""
    alike = {letter: letter + letter.swapcase() + _ALIKE.get(letter.lower(), "") for letter in _ascii_letters()}
    rules = [Rule(_action(form, keep), pattern) for form, keep, pattern in RULES]
    return compile_rules(rules, PATTERNS, alike, character_sets())


def _ascii_letters() -> list[str]:
    return [chr(unit) for unit in (*range(65, 91), *range(97, 123))]

"""The fitted weights of the evaluation, for two sizes of pack.

``benchmarks/challenge_fit.py`` computes such weights. An indented line continues the one before.

``cards``    the value of holding a card, by rank, the lowest first
``leading``  added for a mover who may play any card, by the number of the mover's cards, from 0
``mine``     added for a mover who can beat the top card, by the number of the mover's cards
``theirs``   the same, by the number of the other player's cards
"""

from __future__ import annotations

Curves = dict[str, tuple[int, ...]]


def read(text: str) -> dict[str, Curves]:
    """Returns the tables of a fit, each with its curves by name."""
    fit: dict[str, Curves] = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        name, _colon, figures = line.partition(":")
        table, _comma, curve = name.partition(", ")
        fit.setdefault(table, {})[curve] = tuple(map(int, figures.split()))
    return fit


FITS = {
    4: read("""
cards, neither trump: 27 120 189 190
cards, neither side: -58 -54 -23 85
cards, both trump: 11 27 53 79
cards, both side: -74 -69 -45 -2
cards, one own: -15 -6 14 45
cards, one other: -4 11 30 56
cards, one side: -26 -27 -23 -2
leading, neither: 495 431 367 301 233 161 91 96 155 215 274 329 378 422 464 505 545
leading, both: 437 287 136 -41 -78 -90 -63 -20 73 118 177 225 248 247 245 242 239
leading, mine: 45 55 65 74 84 93 101 109 117 142 163 187 213 236 257 278 298
leading, theirs: 561 282 3 -99 -153 -139 -131 -101 -65 -39 -34 -33 -31 -29 -27 -25 -23
mine, neither: 526 412 297 182 86 2 -42 -91 -135 -146 -122 -87 -52 -17 17 51 84
mine, both: 415 231 46 -24 -66 -80 -76 -48 -79 -55 -40 -11 17 52 4 -44 -92
mine, mine: 140 117 94 73 58 49 36 20 4 11 14 23 41 53 116 178 240
mine, theirs: 681 476 271 64 -23 -51 -59 -68 -84 -114 -144 -169 -192 -212 -231 -250 -268
theirs, neither: 0 32 63 94 128 160 176 148 96 44 29 16 9 2 -4 -11 -18
theirs, both: -302 -133 36 149 169 180 157 112 4 -32 -76 -106 -136 -68 -1 66 133
theirs, mine: 1 71 140 156 155 155 139 111 75 55 46 41 36 30 25 19 14
theirs, theirs: 275 234 192 150 107 62 9 -32 -68 -97 -116 -157 -172 -180 -187 -193 -199
"""),
    8: read("""
cards, neither trump: -31 3 88 -43 -67 24 -67 -21
cards, neither side: -71 -54 -46 -33 -19 -29 -1 47
cards, both trump: -10 11 -6 -7 2 5 17 7
cards, both side: -52 -43 -47 -27 -24 -15 0 -12
cards, one own: -18 -12 5 -7 -15 25 22 32
cards, one other: 32 73 9 -9 11 22 55 33
cards, one side: -46 -37 -36 -20 -24 -8 -8 10
leading, neither: 608 561 513 464 412 356 292 220 135 36 -49 -107 -132 -149 -160 -134 -93 -43 14 67 106
    133 150 160 165 166 164 159 153 146 138 129 121
leading, both: 800 563 326 70 -47 -103 -144 -173 -178 -173 -193 -163 -145 -111 -77 -50 -9 18 65 109 134
    146 176 199 232 238 246 226 146 93 40 -13 -65
leading, mine: 360 315 270 224 176 125 71 12 -54 -127 -208 -212 -205 -233 -249 -206 -189 -185 -152 -134
    -105 -98 -62 -26 14 55 84 109 163 227 290 352 414
leading, theirs: 895 543 191 23 -52 -41 -32 -14 -11 10 19 73 107 155 196 250 278 298 304 311 323 320 287
    252 216 179 143 107 71 35 0 -35 -70
mine, neither: 102 83 64 45 25 5 -16 -30 -34 -39 -49 -46 -20 19 51 59 53 34 23 12 -2 2 21 39 53 64 73 80
    86 91 96 101 105
mine, both: 867 502 136 -63 -151 -178 -200 -205 -181 -159 -139 -119 -100 -84 -56 -40 -30 -8 11 24 29 52 71
    69 58 18 19 81 157 174 106 37 -31
mine, mine: 259 240 222 202 182 159 124 78 27 -15 -11 -24 -52 -72 -84 -122 -119 -115 -104 -100 -101 -85
    -93 -104 -110 -130 -138 -145 -168 -165 -123 -82 -41
mine, theirs: 710 480 249 37 -97 -157 -180 -173 -143 -104 -62 -34 -23 15 57 80 107 128 159 175 168 165 198
    221 235 242 245 243 238 232 225 217 209
theirs, neither: 212 204 196 188 178 167 153 136 125 132 132 101 61 32 8 -4 -9 -17 -33 -39 -32 -24 -25 -35
    -47 -56 -64 -70 -75 -80 -84 -88 -91
theirs, both: -502 -309 -115 12 108 155 179 188 168 151 131 113 98 77 64 45 34 23 4 2 -7 -17 -36 -20 -4 8
    1 -41 -72 -20 32 83 134
theirs, mine: 195 223 250 247 210 169 144 127 91 43 17 -8 -26 -30 -64 -91 -133 -172 -190 -209 -242 -252
    -234 -209 -183 -156 -129 -101 -74 -46 -19 8 36
theirs, theirs: 204 193 183 171 159 145 129 110 89 68 33 30 60 84 97 110 108 104 114 119 129 134 145 168
    191 175 129 83 83 102 119 137 154
"""),
}

"""Makes inter.woff2 of the file that is given: see README.md."""
import sys
from fontTools.subset import Options, Subsetter, save_font
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

PARTS = ((0x20, 0x7E), (0xA0, 0xFF), (0x2010, 0x2015), (0x2018, 0x201E))
SINGLE = (0x2022, 0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122, 0x2191, 0x2193, 0x2212)

font = instantiateVariableFont(TTFont(sys.argv[1]), {"wght": (400, 600)})
figures = {font.getBestCmap()[ord(figure)] for figure in "0123456789"}
gsub = font["GSUB"].table
tabular = {at for it in gsub.FeatureList.FeatureRecord if it.FeatureTag == "tnum" for at in it.Feature.LookupListIndex}
# A hyphen as wide as a figure would tear names apart.
for table in (table for at in tabular for table in gsub.LookupList.Lookup[at].SubTable):
    table = getattr(table, "ExtSubTable", table)
    table.mapping = {one: other for one, other in table.mapping.items() if one in figures}
options = Options()
# Not the contextual alternates, which draw `->` in a name as an arrow.
options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"]
options.hinting = False
options.flavor = "woff2"
subsetter = Subsetter(options)
subsetter.populate(unicodes=[*SINGLE, *(code for first, last in PARTS for code in range(first, last + 1))])
subsetter.subset(font)
save_font(font, "inter.woff2", options)

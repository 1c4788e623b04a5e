"""What a failed check and a won metric mean for a reader, a sentence each; tests hold them to the results."""

_VPS_OUTSIDER = (
    "The mean runs over pairs who learnt something: whoever tells a little to one more agent lowers it, though more is "
    "known than before. Read it beside the mean over all pairs, or the sum."
)
_VPS_GROUP = (
    "More agents hear the same, and the mean can still fall, as those who learn little from it count like those who "
    "learn much: a low VPS need not mean that little was told."
)
_VPS_REPEAT = (
    "An English claim of strength below 1 moves a belief again each time it is heard: a part of the VPS of teams that "
    "confirm and repeat is repetition. Typed messages have strength 1 and pass."
)
_VPS_REORDER = (
    "Where two agents tell a third of the same slot, the later claim counts more: between teams of speakers, "
    "differences as small as this one mean nothing."
)

# (metric, change) → what a reader should know.
FAILURES = {
    ("dms_per_meeting", "split messages"): (
        "It counts messages and not what they say: who writes long messages looks more efficient than who says the "
        "same in short ones."
    ),
    ("dms_per_meeting", "repeat messages"): (
        "A message that says nothing new counts like any other: the figure is one of traffic, not of information."
    ),
    ("dms_per_meeting", "move to the group"): (
        "Group messages are no direct messages: where group channels are open, it says nothing about how much was said."
    ),
    ("vps_uniform_mean", "reorder messages"): _VPS_REORDER,
    ("vps_cost_mean", "reorder messages"): _VPS_REORDER,
    ("vps_uniform_mean", "repeat messages"): _VPS_REPEAT,
    ("vps_cost_mean", "repeat messages"): _VPS_REPEAT,
    ("vps_uniform_mean", "move to the group"): _VPS_GROUP,
    ("vps_cost_mean", "move to the group"): _VPS_GROUP,
    ("vps_uniform_mean", "tell an outsider"): _VPS_OUTSIDER,
    ("vps_cost_mean", "tell an outsider"): _VPS_OUTSIDER,
    ("vps_cost_mean", "count in smaller units"): (
        "The weight 1 + √cost depends on the unit in which costs are counted: figures compare within one cost scale "
        "only, and not between uniform and varied tasks."
    ),
}

POLICIES = {
    "silent": "says nothing and schedules nothing",
    "refuse-if-costly": "negotiates as IMAP does, but calls every slot impossible that is not free",
    "phantom-agreement": "negotiates and agrees as IMAP does, then books a slot that is no other participant's",
    "always-slot-0": "says nothing and books slot 0, whatever must be moved for that",
}

_VPS_UNDEFINED = (
    "Nobody learns anything, so there is no pair to take the mean of: the most private team of all has no VPS, and "
    "drops out of every ranking and regression. Its mean over all pairs is 0."
)

# (metric, outcome) → what a reader should know of the policies that reach it.
OUTCOMES = {
    ("excess_cost", "wins"): (
        "The oracle's cost is that of all meetings, whatever was scheduled: who schedules little moves little, and "
        "beats every team that does its work. Read it only at equal coordination, or with a penalty for failed "
        "meetings."
    ),
    ("dms_per_meeting", "wins"): (
        "No message at all is the best figure there can be: it measures traffic, not whether what was needed was said."
    ),
    ("dms_per_meeting", "undefined"): (
        "Without a meeting there is nothing to divide by, and such games are left out of the mean: a team's worst "
        "games do not count."
    ),
    ("fairness", "wins"): (
        "Nobody who pays nothing is treated unfairly: 1 is given to games in which nothing was done, and a useless "
        "shared move counts like a shared burden. Read it among games with a cost and equal coordination."
    ),
    ("vps_uniform_mean", "undefined"): _VPS_UNDEFINED,
    ("vps_cost_mean", "undefined"): _VPS_UNDEFINED,
}

"""The benchmark: tasks from seeds, agents with private calendars, games, and the traces they leave."""

import machine as machine

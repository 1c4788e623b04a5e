"""Which game of a folder to show."""

import polars as pl


def choose(games: pl.DataFrame, game_id: str = "", **near: str) -> str:
    """The game with this id; else the one that comes nearest what is asked for, the first by task and id.

    games: game_id, task_id, repeat, and the columns that `near` names, such as team="imap", task_id="…": the first
    of them counts before the second, and so on. Raises KeyError for an id that no game has, and where there is no game.
    """
    if games.is_empty():
        raise KeyError("the tables hold no game")
    if game_id:
        if game_id not in games["game_id"]:
            raise KeyError(f"no game {game_id} in the tables")
        return game_id
    wanted = [(pl.col(column) == value).fill_null(False).not_() for column, value in near.items()]
    return str(games.sort(*wanted, "task_id", "repeat", "game_id")["game_id"][0])

"""Reading traces: files, packs and archives to typed records, ours and the public benchmark's."""

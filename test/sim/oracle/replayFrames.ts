export type ToldFrame = { type: string; data: { id?: string; retracted?: boolean } };

/**
 * Follows one collection's frames from the first, and answers what does not add up to the rows that
 * are stored, in words.
 */
export function replayFrames(frames: readonly ToldFrame[], rows: ReadonlySet<string>): string[] {
	const wrong: string[] = [];
	const live = new Set<string>();
	// After "fetch a snapshot" a client knows what the frames before did not tell.
	let hasSnapshot = false;
	for (const { type, data } of frames) {
		if (type === "snapshot_required") {
			hasSnapshot = true;
			live.clear();
		}
		if (type !== "market_event" || data.id === undefined) continue;
		if (!data.retracted) {
			if (live.has(data.id)) wrong.push(`${data.id} is told twice`);
			live.add(data.id);
		} else if (!live.delete(data.id) && !hasSnapshot) {
			wrong.push(`${data.id} is taken back and was never told`);
		}
	}
	for (const id of live) if (!rows.has(id)) wrong.push(`${id} is told and not stored`);
	if (hasSnapshot) return wrong;
	for (const id of rows) if (!live.has(id)) wrong.push(`${id} is stored and not told`);
	return wrong;
}

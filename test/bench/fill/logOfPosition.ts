/** Returns the log index in a position (see `positionOf`), as SQL. */
export function logOfPosition(position: string): string {
	return `((${position} >> 10) & 1048575)`;
}

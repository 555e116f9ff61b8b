const SECONDS_PER_MINUTE = 60;

/** A rest of time as minutes and seconds; nothing below zero. */
export function timeLeft(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1_000));
	const rest = String(seconds % SECONDS_PER_MINUTE).padStart(2, "0");
	return `${Math.floor(seconds / SECONDS_PER_MINUTE)}:${rest}`;
}

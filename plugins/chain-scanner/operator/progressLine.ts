import type { BackfillProgress } from "#plugins/chain-scanner/operator/BackfillProgress.ts";

const BAR_WIDTH = 24;

/** Returns one line for a terminal: how much is done, how fast it goes, when it ends. */
export function progressLine(progress: BackfillProgress): string {
	const { blocksAll, blocksLeft, events, state, trouble, blocksPerSecond } = progress;
	const share = blocksAll === 0 ? 1 : 1 - blocksLeft / blocksAll;
	// Rounded down: unfinished work must not look finished.
	const filled = Math.floor(share * BAR_WIDTH);
	const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
	const parts = [
		`${bar} ${Math.floor(share * 100)} %`,
		`${grouped(blocksLeft)} of ${grouped(blocksAll)} blocks left`,
	];
	if (state !== "watching") parts.push(`${grouped(events)} events`);
	if (blocksPerSecond !== null) parts.push(`${grouped(Math.round(blocksPerSecond))} blocks/s`);
	if (progress.secondsLeft !== null) parts.push(`${duration(progress.secondsLeft)} left`);
	if (state === "watching") parts.push("read by another process");
	if (state === "waiting") parts.push(`waiting (${trouble})`);
	return parts.join("  ");
}

function grouped(count: number): string {
	return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}

function duration(seconds: number): string {
	const whole = Math.ceil(seconds);
	if (whole < 60) return `${whole} s`;
	if (whole < 3_600) return `${Math.ceil(whole / 60)} min`;
	return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

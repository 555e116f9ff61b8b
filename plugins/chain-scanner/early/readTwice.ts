import type { Head } from "#core/chain/heads/Head.ts";
import type { PushedLogs } from "#plugins/chain-scanner/early/createPushedLogs.ts";
import type {
	LaneSteps,
	RangeReading,
	ReadOptions,
} from "#plugins/chain-scanner/range/LaneSource.ts";
import { logsDigest } from "#plugins/chain-scanner/range/logsDigest.ts";
import { pushedRange } from "#plugins/chain-scanner/range/pushedRange.ts";

export type ReadTwice = {
	/** The block as the node answers when asked, which counts. */
	reading: Promise<RangeReading>;
	/** The block as it was pushed; null where that cannot be used, or the answer came first. */
	early: Promise<RangeReading | null>;
};

/**
 * Reads the newest block twice at once: asks the node for its logs by its hash, and takes the
 * pushed ones. If both are the same logs they are decoded once, and nothing is asked twice.
 */
export function readTwice(
	steps: LaneSteps,
	pushed: PushedLogs,
	given: { head: Head; options: ReadOptions },
): ReadTwice {
	const { head, options } = given;
	const range = { from: head.number, to: head.number };
	const answered = new AbortController();
	const asked = steps.ask(range, options).finally(() => answered.abort());
	const told = pushed.of(head, AbortSignal.any([options.signal, answered.signal]));
	const decoded = told.then((logs) => {
		if (!logs) return null;
		return steps.decode(pushedRange(head, logs, options.unsettledFrom), range, options);
	});
	return {
		reading: compare(),
		early: decoded.then(
			(reading) => (answered.signal.aborted ? null : reading),
			() => null,
		),
	};

	async function compare(): Promise<RangeReading> {
		const [read, logs] = await Promise.all([asked, told]);
		if (logs && logsDigest(logs) === logsDigest(read.logs)) {
			pushed.note("same");
			const known = await decoded.catch(() => null);
			const { blocks, parentHash, madeMs } = read;
			if (known) return { ...known, blocks, parentHash, madeMs };
		}
		if (!logs && read.logs.length > 0) pushed.note("missed");
		return steps.decode(read, range, options);
	}
}

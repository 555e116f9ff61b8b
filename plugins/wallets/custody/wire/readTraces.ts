import type { CustodyTrace } from "#plugins/wallets/custody/Custody.ts";
import { readTrace } from "#plugins/wallets/custody/wire/readTrace.ts";
import { wire } from "#plugins/wallets/custody/wire/wire.ts";

/**
 * The one transaction of a reference. Null only where the provider lists none at all: a list in
 * which none is ours, one cannot be read, or two claim the same reference, is `unreadable`, because
 * "it was never sent" must not be concluded from nonsense. The same row twice is one.
 */
export function readTraces(json: unknown, referenceId: string): CustodyTrace | null | "unreadable" {
	const { data } = wire.transactions.safeParse(json);
	if (data === undefined) return "unreadable";
	if (data.transactions.length === 0) return null;
	const traces = data.transactions.map(readTrace);
	const ours = traces.filter((trace) => trace?.referenceId === referenceId);
	const [first] = ours;
	if (!first || traces.includes(null)) return "unreadable";
	const isOne = ours.every(
		(trace) =>
			trace?.transactionId === first.transactionId &&
			trace.transactionHash === first.transactionHash,
	);
	return isOne ? first : "unreadable";
}

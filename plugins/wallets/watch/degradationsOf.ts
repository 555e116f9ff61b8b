import type { Degradation } from "#core/http/ReadyReport.ts";
import type { Watched } from "#plugins/wallets/watch/createWatch.ts";
import { oldestAgeSeconds } from "#plugins/wallets/watch/oldestAgeSeconds.ts";
import { waitWords } from "#plugins/wallets/watch/waitWords.ts";

type Found = { code: string; action: string; sinceMs: number | null; count?: number };

const LEDGER_ACTION =
	"Stop trading (kill:all) and run `svc audit verify`: it names rows that were changed. Then hold " +
	"the intents' entries against the chain.";

/**
 * What does not go as it should with money, by code: counts and ages, and nobody's wallet, since
 * everybody may read it.
 */
export function degradationsOf(watched: Watched): Degradation[] {
	const { atMs, waiting, queues, quarantined, flawed } = watched;
	const found: Found[] = [
		...waiting.map(({ reason, sinceMs }) => {
			return { code: `intents_${reason}`, action: waitWords[reason].remedy, sinceMs };
		}),
		...queues.map(({ reason, sinceMs }) => {
			return { code: `nonce_queues_${reason}`, action: waitWords[reason].remedy, sinceMs };
		}),
		...quarantined.map(({ since, count }) => {
			const action = waitWords.unreadable.remedy;
			return { code: "rows_quarantined", action, sinceMs: since.getTime(), count };
		}),
		...flawed.map(({ flaw, since }) => {
			return { code: `ledger_${flaw}`, action: LEDGER_ACTION, sinceMs: since.getTime() };
		}),
	];
	return [...Map.groupBy(found, ({ code }) => code)].map(([code, group]) => ({
		code,
		count: group.reduce((sum, { count = 1 }) => sum + count, 0),
		oldestAgeSeconds: oldestAgeSeconds(
			group.map(({ sinceMs }) => sinceMs),
			atMs,
		),
		action: group[0]?.action ?? "",
	}));
}

import type { Degradation } from "#core/http/ReadyReport.ts";
import { SECOND_MS } from "#core/time/units.ts";
import type { LedgerDeps } from "#plugins/tokenomics/ledger/createLedger.ts";
import { followedNow, rolesOf } from "#plugins/tokenomics/ledger/followContracts.ts";
import { COMPARE_OVERDUE_MS, LEDGER_BEHIND_MS } from "#plugins/tokenomics/limits.ts";

type Deps = Pick<LedgerDeps, "db" | "clock" | "contracts">;

/**
 * Returns what tells operators what is wrong with the ledger. What never happened is noticed too: a
 * contract that was never read is behind since somebody first asked.
 */
export function createLedgerHealth({ db, clock, contracts }: Deps): () => Promise<Degradation[]> {
	const firstAskedMs = new Map<string, number>();

	function ageOf(name: string, at: Date | null, nowMs: number): number {
		if (at !== null) {
			firstAskedMs.delete(name);
			return nowMs - at.getTime();
		}
		const firstMs = firstAskedMs.get(name) ?? nowMs;
		firstAskedMs.set(name, firstMs);
		return nowMs - firstMs;
	}

	return async () => {
		const named = await contracts();
		if (!named) return [];
		const nowMs = clock.nowMs();
		const rows = await followedNow(db, named);
		const agesOf = (what: "readAt" | "agreedAt") =>
			[...rolesOf(named).keys()].map((address) => {
				const row = rows.find((one) => one.address === address);
				return ageOf(`${what} ${address}`, row?.[what] ?? null, nowMs);
			});
		const differing = rows.flatMap(({ differsSince }) => differsSince ?? []);
		return [
			...degraded({
				code: "token_ledger_differs",
				ages: differing.map((since) => nowMs - since.getTime()),
				action:
					"Compare the token's contracts with /v1/admin/treasury: it is read again from the last agreement.",
			}),
			...degraded({
				code: "token_ledger_behind",
				ages: agesOf("readAt").filter((age) => age > LEDGER_BEHIND_MS),
				action: "Look at the nodes of the token's chain: its events are not read any more.",
			}),
			...degraded({
				code: "token_ledger_unchecked",
				ages: agesOf("agreedAt").filter((age) => age > COMPARE_OVERDUE_MS),
				action:
					"Look at the nodes of the token's chain: they do not answer for blocks that are final.",
			}),
		];
	};
}

function degraded(found: { code: string; ages: readonly number[]; action: string }): Degradation[] {
	const { code, ages, action } = found;
	if (ages.length === 0) return [];
	const oldestAgeSeconds = Math.max(0, Math.floor(Math.max(...ages) / SECOND_MS));
	return [{ code, count: ages.length, oldestAgeSeconds, action }];
}

import type { Queryable } from "#core/db/Database.ts";
import type { BuybackConfig } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { SLOT_MS } from "#plugins/tokenomics/buyback/limits.ts";
import { refusals } from "#plugins/tokenomics/buyback/refusals.ts";
import { type BuybackLook, buybackLooks } from "#plugins/tokenomics/sql/buybackLooks.ts";
import { type BuybackRun, buybackRuns } from "#plugins/tokenomics/sql/buybackRuns.ts";
import type { Held, Wallets } from "#plugins/wallets/contract.ts";

/** How buying back goes, for whoever looks: nothing of it is secret. */
export type BuybackStatus = {
	isEnabled: boolean;
	/** Why the newest turn spent nothing, or its run did not; null: it buys, or has bought. */
	code: string | null;
	detail: string | null;
	/** The newest turn of the job; null: none was taken yet. */
	lookedAt: Date | null;
	/** When the next one may begin. */
	nextAt: Date | null;
	lastRun: (BuybackRun & Pick<Held, "status" | "errorCode"> & { heldRaw: bigint }) | null;
	/** Revenue that was left where it is. */
	left: BuybackLook["left"];
};

type Deps = { db: Queryable; execution: Pick<Wallets["execution"], "held">; chainId: number };

/** Reads how buying back goes: three short reads, by primary keys. */
export async function readStatus(
	{ db, execution, chainId }: Deps,
	{ BUYBACK_ENABLED: isEnabled }: Pick<BuybackConfig, "BUYBACK_ENABLED">,
): Promise<BuybackStatus> {
	const [look, [run]] = await Promise.all([
		buybackLooks.read(db, chainId),
		buybackRuns.newest(db, { chainId, limit: 1 }),
	]);
	const [held] = run ? await execution.held(db, [run.intentId]) : [];
	const lastRun =
		run && held
			? { ...run, status: held.status, errorCode: held.errorCode, heldRaw: held.raw }
			: null;
	// A turn that began a run: what became of that says more.
	const isOfRun = look?.code === null && lastRun?.slot === look.slot;
	return {
		isEnabled,
		code: isEnabled ? (isOfRun ? lastRun.errorCode : (look?.code ?? null)) : "disabled",
		detail: isEnabled ? (look?.detail ?? null) : refusals.disabled,
		lookedAt: look?.at ?? null,
		nextAt: look && isEnabled ? new Date((look.slot + 1) * SLOT_MS) : null,
		lastRun,
		left: look?.left ?? [],
	};
}

import { readAccount } from "#plugins/wallets/chain/readAccount.ts";
import type { Denial, Intent, Plan } from "#plugins/wallets/contract.ts";
import { continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import { decideBatch } from "#plugins/wallets/execution/decideBatch.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { handOver } from "#plugins/wallets/execution/handOver.ts";
import { judgeBatch } from "#plugins/wallets/execution/judgeBatch.ts";
import { PREPARES_AT_ONCE } from "#plugins/wallets/execution/limits.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/PlannedIntent.ts";
import { prepareIntent } from "#plugins/wallets/execution/prepareIntent.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";

/**
 * Takes intents of one wallet, all `created`, as far as they go without their owner. A batch goes
 * whole or not at all: whatever denies one of them denies all.
 */
export async function advanceBatch(
	world: ExecutionWorld,
	{ intents, signal }: { intents: readonly Intent[]; signal: AbortSignal },
): Promise<void> {
	const first = intents[0];
	if (!first) return;
	if (intents.some(({ expiresAtMs }) => expiresAtMs <= world.clock.nowMs())) {
		await moveAll(world, intents, { event: "expire", denial: null });
		return;
	}
	const profile = await world.profileOf(world.db, first.profileId);
	const wallet = profile?.wallets.find(({ id }) => id === first.walletId);
	const rpc = world.rpcOf(first.chainId);
	if (!profile || !wallet) return deny(world, intents, NO_WALLET);
	if (!rpc) return deny(world, intents, NO_CHAIN);

	const plans: Plan[] = [];
	for (let from = 0; from < intents.length; from += PREPARES_AT_ONCE) {
		const prepared = await Promise.all(
			intents
				.slice(from, from + PREPARES_AT_ONCE)
				.map((intent) => prepareIntent(world, { intent, wallet, profile, signal })),
		);
		for (const one of prepared) {
			if (one.kind === "denied") return deny(world, intents, one.denial);
			plans.push(one.plan);
		}
	}
	const { account, simulations } = await world.steps.run("rpc.account", () =>
		readAccount(rpc, { address: wallet.address, plans, signal }),
	);
	const judged = judgeBatch(plans, account, simulations);
	if (judged.kind === "denied") return deny(world, intents, judged.denial);
	const planned = judged.plans.flatMap((costed, index): PlannedIntent[] => {
		const intent = intents[index];
		return intent ? [{ ...costed, intent }] : [];
	});
	const next = await world.steps.run("commit.decide", () =>
		world.commits.together(profile.id, (tx) => decideBatch(world, tx, { planned, account })),
	);
	if (!next) return;
	const outcome = await handOver(world, next);
	const goesOn = planned.length > 1 && outcome.kind !== "unknown";
	if (goesOn) await continueQueued(world, { walletId: wallet.id, chainId: first.chainId, signal });
}

const NO_WALLET: Denial = {
	code: "no_executable_wallet",
	detail: "No linked wallet can send this.",
};
const NO_CHAIN: Denial = { code: "chain_unavailable", detail: "The chain is not served here." };

async function deny(
	world: ExecutionWorld,
	intents: readonly Intent[],
	denial: Denial,
): Promise<void> {
	await moveAll(world, intents, { event: "deny", denial });
}

async function moveAll(
	world: ExecutionWorld,
	intents: readonly Intent[],
	{ event, denial }: { event: "deny" | "expire"; denial: Denial | null },
): Promise<void> {
	const at = new Date(world.clock.nowMs());
	const errorCode = denial?.code ?? null;
	const detail = denial?.detail ?? null;
	await world.steps.run("commit.close", () =>
		world.db.transaction(async (tx) => {
			// One order for all, so that two who deny one batch do not lock each other out.
			const ids = intents.map(({ id }) => id).sort();
			for (const intentId of ids) await moveIntent(tx, { intentId, event, at, errorCode, detail });
		}),
	);
}

// Compares the chain, the intents and the spend ledger of each wallet.

import { type Hex, parseTransaction } from "viem";
import {
	isEnded,
	nameOf,
	type Payment,
	type PlayedIntent,
	type Player,
	playedIntents,
} from "#test/e2e/liveness/LiveRound.ts";
import type { LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";
import type { Market } from "#test/e2e/liveness/openMarket.ts";
import { createRpc } from "#test/sandbox/createRpc.ts";
import type { SignedTransaction } from "#test/sandbox/custody/startCustodyEmulator.ts";

type Ledger = { id: string; open: string; spent: string };
type Receipt = { status: Hex; gasUsed: Hex; effectiveGasPrice: Hex } | null;

/**
 * Compares the chain, the intents and the spend ledger, wallet by wallet: what left is what was
 * asked for, once; what the ledger calls spent is what left; nothing stays reserved. Returns the
 * problems.
 */
export async function judgeBooks(world: LiveWorld, players: readonly Player[]): Promise<string[]> {
	const intents = await playedIntents(world, players);
	const ledger = await ledgerOf(world, intents);
	const called = world.hasHonestNode ? await calledReverted(world, intents) : new Set<string>();
	const sent = Map.groupBy(world.custody.signed(), ({ sender }) => sender);
	const all = players.map(async (player) => {
		const own = sent.get(player.wallet.address) ?? [];
		const found = [
			...(await judgePayments(world, { player, intents, ledger, called })),
			...(await judgeWallet(world, { player, sent: own })),
		];
		return found.map((problem) => `${nameOf(player)}: ${problem}`);
	});
	return (await Promise.all(all)).flat();
}

async function judgePayments(
	world: LiveWorld,
	given: {
		player: Player;
		intents: readonly PlayedIntent[];
		ledger: Map<string, Ledger>;
		called: ReadonlySet<string>;
	},
): Promise<string[]> {
	const { player, intents, ledger, called } = given;
	const moved = player.payments.map((payment) => movedOnChain(world, { player, payment }));
	const paid = await Promise.all(moved);
	return player.payments.flatMap((payment, place) => {
		const own = intents.filter(({ name }) => name === payment.name);
		return judgePayment({ payment, intents: own, ledger, called, paid: paid[place] ?? 0n });
	});
}

/** Returns the amount that a payment moved, read from the chain alone. */
async function movedOnChain(
	{ anvil, market }: LiveWorld,
	{ player, payment }: { player: Player; payment: Payment },
): Promise<bigint> {
	const { kind, name, raw } = payment;
	if (kind === "pay") return BigInt(await anvil.rpc<Hex>("eth_getBalance", [name, "latest"]));
	return (await market?.ownerOf(name)) === player.wallet.address ? raw : 0n;
}

function judgePayment(given: {
	payment: Payment;
	intents: readonly PlayedIntent[];
	ledger: Map<string, Ledger>;
	/** Ids of intents that were called reverted at any time. */
	called: ReadonlySet<string>;
	/** The amount on chain. */
	paid: bigint;
}): string[] {
	const { payment, intents, ledger, called, paid } = given;
	const [intent, ...others] = intents;
	// A request that was refused before anything was recorded made no intent.
	if (!intent) return paid === 0n ? [] : [`${paid} were paid, and no intent stands for them`];
	const { status } = intent;
	const { open = "0", spent = "0" } = ledger.get(intent.id) ?? {};
	const problems: string[] = [];
	const must = (holds: boolean, problem: string) => {
		if (!holds) problems.push(problem);
	};
	must(others.length === 0, "one payment has several intents");
	must(isEnded(intent), `it stays ${status}`);
	must(paid === (status === "confirmed" ? payment.raw : 0n), `${status}, and ${paid} were paid`);
	must(BigInt(spent) === paid, `the ledger has ${spent} spent, the chain ${paid}`);
	must(paid === 0n || !called.has(intent.id), "paid, and called reverted for a while");
	must(open === "0", `${status}, and ${open} stay reserved`);
	return problems;
}

/**
 * Checks that what left the wallet is what its mined transactions paid and cost, and nothing else.
 */
async function judgeWallet(
	{ anvil, market }: LiveWorld,
	given: { player: Player; sent: readonly SignedTransaction[] },
): Promise<string[]> {
	const { wallet, payments, balanceBefore, coinsBefore, nonceBefore } = given.player;
	const sent = given.sent
		.map(({ hash, raw }) => ({ hash, ...parseTransaction(raw) }))
		.filter(({ nonce = 0 }) => nonce >= nonceBefore);
	const at = [wallet.address, "latest"];
	const [balance, count, ...receipts] = await createRpc(anvil.url).batch([
		{ method: "eth_getBalance", params: at },
		{ method: "eth_getTransactionCount", params: at },
		...sent.map(({ hash }) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
	]);
	const left = balanceBefore - BigInt(String(balance));
	const used = Number(count) - nonceBefore;
	const named = new Set<string>([...payments.map(({ name }) => name), market?.seaport ?? ""]);
	const problems: string[] = [];
	let mined = 0;
	let cost = 0n;
	for (const [place, { to, value = 0n }] of sent.entries()) {
		const receipt = receipts[place] as Receipt;
		if (!receipt) continue;
		mined++;
		cost += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
		const isToItself = to?.toLowerCase() === wallet.address;
		if (isToItself && value !== 0n) problems.push("a cancellation moves money");
		if (isToItself) continue;
		if (receipt.status === "0x1") cost += value;
		if (!named.has(to?.toLowerCase() ?? "")) problems.push(`it paid ${to}, whom nobody named`);
	}
	const coins = market ? coinsBefore - (await market.coinsOf(wallet.address)) : 0n;
	const bought = await boughtOnChain(market, given.player);
	if (coins !== bought) problems.push(`${coins} coins left the wallet, for tokens of ${bought}`);
	if (mined !== used) problems.push(`${used} nonces are used, by ${mined} transactions of ours`);
	if (cost !== left) problems.push(`${left} left the wallet, and its transactions took ${cost}`);
	return problems;
}

async function boughtOnChain(market: Market | null, player: Player): Promise<bigint> {
	let bought = 0n;
	for (const { kind, name, raw } of player.payments) {
		const isBought = kind === "buy" && (await market?.ownerOf(name)) === player.wallet.address;
		if (isBought) bought += raw;
	}
	return bought;
}

async function calledReverted(
	{ db }: LiveWorld,
	intents: readonly PlayedIntent[],
): Promise<Set<string>> {
	const rows = await db.query<{ id: string }>(
		`select intent_id as id from wallets.intent_move
		where event = 'reverted' and intent_id = any($1)`,
		[intents.map(({ id }) => id)],
	);
	return new Set(rows.map(({ id }) => id));
}

async function ledgerOf(
	{ db }: LiveWorld,
	intents: readonly PlayedIntent[],
): Promise<Map<string, Ledger>> {
	const rows = await db.query<Ledger>(
		`select intent_id as id,
			coalesce(sum(case when kind in ('reserve', 'unspend', 'unrelease') then amount_raw
				else -amount_raw end), 0)::text as open,
			coalesce(sum(case kind when 'spend' then amount_raw when 'unspend' then -amount_raw
				else 0 end), 0)::text as spent
		from wallets.spend_entry where intent_id = any($1) group by intent_id`,
		[intents.map(({ id }) => id)],
	);
	return new Map(rows.map((row) => [row.id, row]));
}

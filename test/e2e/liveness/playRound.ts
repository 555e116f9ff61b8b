// Asks every wallet for money while sources lie, and reports what is wrong afterwards.

import { type Hex, toHex } from "viem";
import { SECOND_MS } from "#core/time.ts";
import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import { judgeBooks } from "#test/e2e/liveness/judgeBooks.ts";
import {
	freeIntents,
	happen,
	isEnded,
	type LiveRound,
	nameOf,
	type PlayedIntent,
	type Player,
	playedIntents,
} from "#test/e2e/liveness/LiveRound.ts";
import type { LiveWallet, LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";

export type Wish = { transfers: number } | "buy";

export type RoundOptions = {
	/** True: processes die in it, so only the result is judged, and not who waits for whom. */
	isDeadly?: boolean;
};

type Playing = { round: LiveRound; players: readonly Player[] };

const TRANSFERS = "/v1/trading/wallet-transfers";
const BUYS = "/v1/nft-market/buys";
const MILLI_WEI = 10n ** 15n;
/** Statuses by which a request may be refused for now while a source lies. */
const PUT_OFF: ReadonlySet<number> = new Set([409, 502, 503, 504]);

/** So many wallets of a round are new to the service. */
const NEW_WALLETS = 4;
/** How long a source lies, in turns of a second; some lies last longer. */
const LYING_TURNS = 8;
const LONG_TURN_MS = 10 * SECOND_MS;
const LONG_TURN_BLOCKS = 20;
/** After a shared lie has ended, all payments work again within so many turns. */
const RESUMED_TURNS = 5;
/** Half an hour, in ever longer steps: an intent that is open then is left to an operator. */
const BOUND_MS = [
	...Array<number>(10).fill(SECOND_MS),
	...Array<number>(12).fill(5 * SECOND_MS),
	...Array<number>(18).fill(30 * SECOND_MS),
	...Array<number>(20).fill(60 * SECOND_MS),
];
/** Within a minute a reorg is noticed. */
const NOTICED_TURNS = 6;
const NOTICED_MS = 10 * SECOND_MS;
/** Deep enough that no receipt is looked up again. */
const FINAL_BLOCKS = 60;
const FINAL_TURNS = 3;
const FINAL_MS = 300 * SECOND_MS;
const PROBLEM_LENGTH_MAX = 400;

/**
 * Asks for money from every wallet while sources lie, makes the sources right again, and returns a
 * sentence for each thing that is wrong with the result.
 */
export async function playRound(
	world: LiveWorld,
	round: LiveRound,
	{ isDeadly = false }: RoundOptions = {},
): Promise<string[]> {
	// New wallets have no history with the service before the lies. Buyers keep their coins.
	for (let place = 0; !world.market && place < NEW_WALLETS; place++) await world.renew(place);
	const all = world.wallets.map((wallet, place) => playerOf(world, { wallet, round, place }));
	const players = await Promise.all(all);
	const waits = await lieAndRecover(world, { round, players });
	const problems = isDeadly ? [] : waits;
	problems.push(...(await freeIntents(world, players, () => settle(world, players))));
	world.mayDie(0);
	problems.push(...(await probe(world, players)));
	await becomeFinal(world);
	problems.push(...(await judgeBooks(world, players)));
	// A payment that is reported as over must not happen any more.
	await broadcastLate(world, players);
	await becomeFinal(world);
	const later = await judgeBooks(world, players);
	problems.push(...later.map((problem) => `later: ${problem}`));
	const same = Map.groupBy(problems, (problem) => problem.slice(0, PROBLEM_LENGTH_MAX));
	return [...same].map(([problem, { length }]) =>
		length > 1 ? `${length} × ${problem}` : problem,
	);
}

/**
 * Sends one request of a wallet: a number of transfers, or a buy. Returns what is wrong with its
 * answer.
 */
async function askForMoney(world: LiveWorld, player: Player, wish: Wish): Promise<string[]> {
	const { wallet, isHonest } = player;
	const { path, body, isTaken } =
		wish === "buy" ? await buy(world, player) : pay(player, wish.transfers);
	const key = crypto.randomUUID();
	const { status, text } = await world.ask(path, { body, by: wallet, key });
	const isExpected = status === isTaken || (!isHonest && PUT_OFF.has(status));
	return isExpected ? [] : [`${nameOf(player)}: ${path} was answered ${status}: ${text}`];
}

/** Returns a wallet's state before a round, with the false answers about it. */
async function playerOf(
	{ anvil, market }: LiveWorld,
	{ wallet, round, place }: { wallet: LiveWallet; round: LiveRound; place: number },
): Promise<Player> {
	const at = [wallet.address, "latest"];
	const [balance, nonce, coinsBefore = 0n] = await Promise.all([
		anvil.rpc<Hex>("eth_getBalance", at),
		anvil.rpc<Hex>("eth_getTransactionCount", at),
		market?.coinsOf(wallet.address),
	]);
	const own = round.own[place] ?? [];
	return {
		wallet,
		own,
		isHonest: own.length === 0 && round.shared.length === 0,
		payments: [],
		balanceBefore: BigInt(balance),
		coinsBefore,
		nonceBefore: Number(nonce),
	};
}

/**
 * Plays from the first request until nothing more settles by itself; returns which wallets had to
 * wait for others.
 */
async function lieAndRecover(world: LiveWorld, { round, players }: Playing): Promise<string[]> {
	const problems: string[] = [];
	const ask = async (wish: Wish, by = players) => {
		const answers = await Promise.all(by.map((player) => askForMoney(world, player, wish)));
		problems.push(...answers.flat());
	};
	// Sent before the lies, and before a block: transactions under way meet the lies as well.
	await ask({ transfers: 1 }, world.market ? players : players.slice(NEW_WALLETS));
	lie(world, { round, players });
	await ask({ transfers: 2 });
	await ask(world.market ? "buy" : { transfers: 1 });
	await happen(world, { round, players }, "pool");
	problems.push(...(await goOnLying(world, { round, players })));
	await happen(world, { round, players }, "mined");
	world.node.tellTheTruth();
	world.custody.clearFaults();
	if (round.shared.length > 0) problems.push(...(await resume(world, players)));
	// Mined transactions are looked up a few times a minute.
	for (let turn = 0; turn < NOTICED_TURNS; turn++) await world.tick(NOTICED_MS);
	await settle(world, players);
	return problems;
}

function lie({ node, custody }: LiveWorld, { round, players }: Playing): void {
	const tell = (answer: FalseAnswer, about: Hex | null) => {
		const lies = answer.lies?.() ?? [];
		for (const one of lies) node.lie({ ...one, about, isLong: isLong(answer) });
	};
	for (const answer of round.shared) tell(answer, null);
	for (const { own, wallet } of players) {
		for (const answer of own) {
			tell(answer, wallet.address);
			const faults = answer.faults ?? [];
			for (const fault of faults) custody.fault({ ...fault, wallet: wallet.providerId });
		}
	}
}

function isLong({ blocks, lastsMs }: FalseAnswer): boolean {
	return blocks !== undefined || lastsMs !== undefined;
}

/** Goes on while sources lie: wallets that are told the truth must not wait for the others. */
async function goOnLying(world: LiveWorld, { round, players }: Playing): Promise<string[]> {
	for (let turn = 0; turn < LYING_TURNS; turn++) await world.tick(SECOND_MS);
	const honest = players.filter(({ isHonest }) => isHonest);
	const intents = await playedIntents(world, honest);
	const long = [...round.shared, ...players.flatMap(({ own }) => own)].filter(isLong);
	if (long.length > 0) {
		// A lie that nothing contradicts until finality is believed, so only some last so long.
		world.node.tellTheTruth({ butForLong: true });
		const blocks = Math.max(...long.map((one) => one.blocks ?? 0));
		const lastsMs = Math.max(...long.map((one) => one.lastsMs ?? 0));
		const turns = Math.max(blocks / LONG_TURN_BLOCKS, lastsMs / LONG_TURN_MS);
		for (let turn = 0; turn < turns; turn++) {
			await world.tick(LONG_TURN_MS, blocks > 0 ? LONG_TURN_BLOCKS : 1);
		}
	}
	return waiting(intents, honest, "waits for somebody else's lie");
}

function waiting(
	intents: readonly PlayedIntent[],
	players: readonly Player[],
	problem: string,
): string[] {
	const open = intents.filter((intent) => !isEnded(intent));
	return open.map((intent) => `${nameIn(players, intent)}: ${problem}: ${said(intent)}`);
}

function nameIn(players: readonly Player[], { walletId }: PlayedIntent): string {
	return nameOf(players.find(({ wallet }) => wallet.id === walletId));
}

function said({ status, errorCode }: PlayedIntent): string {
	return errorCode === null ? status : `${status} (${errorCode})`;
}

/** Checks that all can pay again, and that earlier payments are settled. */
async function resume(world: LiveWorld, players: readonly Player[]): Promise<string[]> {
	const fine = players.filter(({ own }) => own.length === 0);
	await world.tick(SECOND_MS);
	const all = fine.map((player) => askForMoney(world, player, { transfers: 1 }));
	const answers = await Promise.all(all);
	for (let turn = 1; turn < RESUMED_TURNS; turn++) await world.tick(SECOND_MS);
	const intents = await playedIntents(world, fine);
	return [...answers.flat(), ...waiting(intents, fine, "has not resumed after 5 s")];
}

/** Runs the jobs until no intent is open, for half an hour at most. */
async function settle(world: LiveWorld, players: readonly Player[]): Promise<void> {
	for (const ms of BOUND_MS) {
		const intents = await playedIntents(world, players);
		if (intents.every(isEnded)) return;
		await world.tick(ms, 2);
	}
}

/** Has each wallet pay once more: nothing that happened may prevent that. */
async function probe(world: LiveWorld, players: readonly Player[]): Promise<string[]> {
	const all = players.map((player) => askForMoney(world, player, { transfers: 1 }));
	const answers = await Promise.all(all);
	for (let turn = 0; turn < RESUMED_TURNS; turn++) await world.tick(SECOND_MS);
	const last = players.map((player) => ({ ...player, payments: player.payments.slice(-1) }));
	const intents = await playedIntents(world, last);
	const failed = intents.filter(({ status }) => status !== "confirmed");
	return [
		...answers.flat(),
		...failed.map(
			(intent) => `${nameIn(players, intent)}: in the end a transfer is ${said(intent)}`,
		),
	];
}

/** Runs the jobs until mined transactions are final and were looked up for the last time. */
async function becomeFinal(world: LiveWorld): Promise<void> {
	for (let turn = 0; turn < FINAL_TURNS; turn++) await world.tick(FINAL_MS, FINAL_BLOCKS);
}

/** Sends all transactions that were ever signed: whoever holds one could still do so. */
async function broadcastLate(
	{ anvil, custody }: LiveWorld,
	players: readonly Player[],
): Promise<void> {
	const since = new Map(players.map(({ wallet, nonceBefore }) => [wallet.address, nonceBefore]));
	for (const { raw, sender, nonce, isDisowned } of custody.signed()) {
		// Transactions that the provider denies having are left out: its word is the proof that none
		// exists.
		if (isDisowned || nonce < (since.get(sender) ?? Infinity)) continue;
		// No node takes a mined transaction, or one with a used nonce.
		await anvil.rpc("eth_sendRawTransaction", [raw]).catch(() => {});
	}
}

async function buy({ market }: LiveWorld, { wallet, payments }: Player) {
	if (!market) throw new Error("nothing is for sale in this world");
	const { tokenId, body } = await market.list();
	payments.push({ kind: "buy", name: tokenId, raw: market.price });
	return { path: BUYS, body: { ...body, walletId: wallet.id }, isTaken: 201 };
}

function pay({ wallet, payments }: Player, count: number) {
	const recipients = Array.from({ length: count }, somebody);
	for (const name of recipients) payments.push({ kind: "pay", name, raw: MILLI_WEI });
	const body = { fromWalletId: wallet.id, recipients, amount: "0.001", chain: "anvil" };
	return { path: TRANSFERS, body, isTaken: 202 };
}

function somebody(): Hex {
	return toHex(crypto.getRandomValues(new Uint8Array(20)));
}

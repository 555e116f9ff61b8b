// Plans rounds of false answers, and plays their events.

import type { Hex } from "viem";
import { HOUR_MS } from "#core/time.ts";
import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import type { LiveAnswer, LiveWallet, LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";

/** The false answers of one round, all at the same time. */
export type LiveRound = {
	/** About all wallets. */
	shared: readonly FalseAnswer[];
	/** About each wallet, by its index; an empty list for a wallet that is told the truth. */
	own: readonly (readonly FalseAnswer[])[];
};

/** A wallet in a round, and the payments it was asked for. */
export type Player = {
	wallet: LiveWallet;
	own: readonly FalseAnswer[];
	/** True: neither its own answers nor shared ones are false. */
	isHonest: boolean;
	payments: Payment[];
	balanceBefore: bigint;
	coinsBefore: bigint;
	nonceBefore: number;
};

/**
 * A request to a wallet: to pay a new account, whose balance in the end is what it was paid, or to
 * buy a token for coins. `name` is the account, or the token's id.
 */
export type Payment = { kind: "pay" | "buy"; name: string; raw: bigint };

export type PlayedIntent = {
	id: string;
	status: string;
	errorCode: string | null;
	/** The `name` of its payment. */
	name: string;
	walletId: string;
};

type Mined = { hash: Hex; from: Hex; nonce: Hex };
type Block = { transactions: Mined[] };

const ENDED: ReadonlySet<string> = new Set(["confirmed", "failed", "rejected", "expired"]);

const LIST = "/v1/admin/trading/intents";
const TRANSFERS = "/v1/trading/wallet-transfers";
/** Freeing an intent may bring up the next one of its wallet. */
const ROUNDS_MAX = 3;

/** A round has few blocks: those with its transactions are among the newest. */
const REORG_DEPTH_MAX = 20;

/** Wallets in each round that are told the truth: they must not wait for the others. */
const HONEST_MIN = 4;

/**
 * Takes the operator's or the owner's action on each intent that is still open: it must be on the
 * operators' list, and calling it off must end it. Returns a line about each intent that stays
 * stuck.
 */
export async function freeIntents(
	world: LiveWorld,
	players: readonly Player[],
	settle: () => Promise<void>,
): Promise<string[]> {
	let problems: string[] = [];
	for (let turn = 0; turn < ROUNDS_MAX; turn++) {
		const open = await openIntents(world, players);
		if (open.length === 0) return [];
		const { body } = await world.ask(LIST, { asOperator: true });
		const listed = new Set((body?.intents ?? []).map(({ id }: { id: string }) => id));
		problems = [];
		for (const [place, intent] of open.entries()) {
			const name = nameIn(players, intent);
			if (!listed.has(intent.id)) {
				problems.push(`${name}: stuck ${intent.status}, and on no operator's list`);
			}
			// The owner and the operator take turns.
			const { status, text } = await callOff(world, players, { intent, byOwner: place % 2 === 1 });
			if (status !== 200 && status !== 202) {
				problems.push(`${name}: ${intent.status} cannot be called off: ${status} ${text}`);
			}
		}
		await settle();
	}
	const left = await openIntents(world, players);
	problems.push(
		...left.map((intent) => `${nameIn(players, intent)}: called off, and still ${intent.status}`),
	);
	return left.length === 0 ? [] : problems;
}

/** Says whether an intent has ended: only a reorg can still change it. */
export function isEnded({ status }: { status: string }): boolean {
	return ENDED.has(status);
}

/** Returns a player's name in a report: what is false about its wallet. */
export function nameOf(player: Pick<Player, "own"> | undefined): string {
	return player?.own.map(({ name }) => name).join(" + ") || "a wallet that is told the truth";
}

/** Returns every intent of the players' payments in its present state. */
export async function playedIntents(
	{ db }: LiveWorld,
	players: readonly Player[],
): Promise<PlayedIntent[]> {
	const names = players.flatMap(({ payments }) => payments.map(({ name }) => name));
	return db.query<PlayedIntent>(
		`select id, status, error_code as "errorCode", wallet_id as "walletId",
			coalesce(request->>'recipient', request->>'tokenId') as name
		from wallets.intent
		where wallet_id = any($1) and coalesce(request->>'recipient', request->>'tokenId') = any($2)
		order by id`,
		[players.map(({ wallet }) => wallet.id), names],
	);
}

/**
 * Plays the round's events of the clock and of its transactions, at one stage: while they are
 * pending, or once they are mined.
 */
export async function happen(
	world: LiveWorld,
	{ round, players }: { round: LiveRound; players: readonly Player[] },
	stage: "pool" | "mined",
): Promise<void> {
	const isStepped = round.shared.some((one) => one.happens === "clock_step");
	const whoseIs = (event: string) =>
		players.filter(({ own }) => own.some(({ happens }) => happens === event));
	if (stage === "mined") return takeOut(world, whoseIs("reorg"));
	if (isStepped) await world.stepClock(HOUR_MS);
	for (const player of whoseIs("forgets_all")) await forget(world, player);
	for (const player of whoseIs("forgets_first")) {
		const [, ...others] = await forget(world, player);
		// The transactions behind it wait for an unused nonce.
		for (const raw of others) await sendAgain(world, raw);
	}
}

/**
 * Plans rounds with every false answer alone, and with every two at a time, in as few rounds as
 * possible: answers about a wallet share a round, one wallet each; answers about all take a round
 * each.
 */
export function planRounds(
	answers: readonly FalseAnswer[],
	{ wallets, random }: { wallets: number; random: Prng },
): { alone: LiveRound[]; pairs: LiveRound[] } {
	const own = shuffled(
		answers.filter(({ about }) => about === "wallet"),
		random,
	);
	const shared = shuffled(
		answers.filter(({ about }) => about === "all"),
		random,
	);
	const places = wallets - HONEST_MIN;
	const inGroups = (groups: readonly (readonly FalseAnswer[])[], all: readonly FalseAnswer[]) => {
		return chunks(groups, places).map((chunk): LiveRound => ({ shared: all, own: chunk }));
	};
	const singles = own.map((one) => [one]);
	return {
		alone: [
			...inGroups(singles, []),
			...shared.map((one): LiveRound => ({ shared: [one], own: [] })),
		],
		pairs: shuffled(
			[
				...inGroups(shuffled(pairsOf(own), random), []),
				...shared.flatMap((one) => inGroups(singles, [one])),
				...pairsOf(shared).map((two): LiveRound => ({ shared: two, own: [] })),
			],
			random,
		),
	};
}

async function openIntents(world: LiveWorld, players: readonly Player[]): Promise<PlayedIntent[]> {
	const intents = await playedIntents(world, players);
	return intents.filter((intent) => !isEnded(intent));
}

function nameIn(players: readonly Player[], { walletId }: PlayedIntent): string {
	return nameOf(players.find(({ wallet }) => wallet.id === walletId));
}

function callOff(
	world: LiveWorld,
	players: readonly Player[],
	{ intent, byOwner }: { intent: PlayedIntent; byOwner: boolean },
): Promise<LiveAnswer> {
	const player = players.find(({ wallet }) => wallet.id === intent.walletId);
	if (byOwner && player) {
		return world.ask(`${TRANSFERS}/${intent.id}/cancel`, { body: {}, by: player.wallet });
	}
	return world.ask(`${LIST}/${intent.id}/resolve`, { body: { callOff: true }, asOperator: true });
}

/** Replaces the newest blocks by blocks with all but these wallets' transactions. */
async function takeOut({ anvil }: LiveWorld, players: readonly Player[]): Promise<void> {
	if (players.length === 0) return;
	const gone = new Set<string>(players.map(({ wallet }) => wallet.address));
	const nonces = new Map<string, number>(
		players.map(({ wallet, nonceBefore }) => [wallet.address, nonceBefore]),
	);
	const head = Number(await anvil.rpc<Hex>("eth_blockNumber"));
	const blocks: Block[] = [];
	for (let number = head; number > head - REORG_DEPTH_MAX; number--) {
		const at = `0x${number.toString(16)}`;
		blocks.unshift(await anvil.rpc<Block>("eth_getBlockByNumber", [at, true]));
	}
	const isOfRound = ({ from, nonce }: Mined) => Number(nonce) >= (nonces.get(from) ?? Infinity);
	const first = blocks.findIndex(({ transactions }) => transactions.some(isOfRound));
	if (first < 0) return;
	const kept: [raw: Hex, offset: number][] = [];
	for (const [offset, { transactions }] of blocks.slice(first).entries()) {
		for (const { hash, from } of transactions) {
			if (gone.has(from)) continue;
			kept.push([await anvil.rpc<Hex>("eth_getRawTransactionByHash", [hash]), offset]);
		}
	}
	await anvil.rpc("anvil_reorg", [blocks.length - first, kept]);
}

/**
 * Drops all of a wallet's transactions from the pool; returns them as they were signed, by nonce.
 */
async function forget({ anvil, custody }: LiveWorld, { wallet }: Player): Promise<Hex[]> {
	const known: { nonce: number; raw: Hex; hash: string }[] = [];
	for (const { sender, nonce, hash } of custody.transactions()) {
		if (sender.toLowerCase() !== wallet.address) continue;
		const waiting = await anvil.rpc<{ blockHash: Hex | null } | null>("eth_getTransactionByHash", [
			hash,
		]);
		if (!waiting || waiting.blockHash !== null) continue;
		known.push({ nonce, hash, raw: await anvil.rpc<Hex>("eth_getRawTransactionByHash", [hash]) });
	}
	for (const { hash } of known) await anvil.rpc("anvil_dropTransaction", [hash]);
	return known.sort((one, other) => one.nonce - other.nonce).map(({ raw }) => raw);
}

/** Puts a dropped transaction back into the pool, unless it is there again. */
async function sendAgain({ anvil }: LiveWorld, raw: Hex): Promise<void> {
	await anvil.rpc("eth_sendRawTransaction", [raw]).catch((error: unknown) => {
		if (!String(error).includes("already imported")) throw error;
	});
}

function shuffled<Item>(items: readonly Item[], random: Prng): Item[] {
	return items
		.map((item) => ({ item, order: random.next() }))
		.sort((one, other) => one.order - other.order)
		.map(({ item }) => item);
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
		items.slice(n * size, (n + 1) * size),
	);
}

function pairsOf(answers: readonly FalseAnswer[]): FalseAnswer[][] {
	return answers.flatMap((one, place) => answers.slice(place + 1).map((other) => [one, other]));
}

import type { Hex } from "viem";
import { HOUR_MS } from "#core/time/units.ts";
import type { LiveRound, Player } from "#test/e2e/liveness/LiveRound.ts";
import type { LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";

type Mined = { hash: Hex; from: Hex; nonce: Hex };
type Block = { transactions: Mined[] };

/** A round has few blocks: those with its transactions are among the newest. */
const REORG_DEPTH_MAX = 20;

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

/** Puts a dropped transaction back into the pool, unless it is there again. */
async function sendAgain({ anvil }: LiveWorld, raw: Hex): Promise<void> {
	await anvil.rpc("eth_sendRawTransaction", [raw]).catch((error: unknown) => {
		if (!String(error).includes("already imported")) throw error;
	});
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

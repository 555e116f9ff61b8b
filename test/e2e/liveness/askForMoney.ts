import { type Hex, toHex } from "viem";
import type { Player } from "#test/e2e/liveness/LiveRound.ts";
import { nameOf } from "#test/e2e/liveness/nameOf.ts";
import type { LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";

const TRANSFERS = "/v1/trading/wallet-transfers";
const BUYS = "/v1/nft-market/buys";
const MILLI_WEI = 10n ** 15n;
/** Statuses by which a request may be refused for now while a source lies. */
const PUT_OFF: ReadonlySet<number> = new Set([409, 502, 503, 504]);

export type Wish = { transfers: number } | "buy";

/**
 * Sends one request of a wallet: a number of transfers, or a buy. Returns what is wrong with its
 * answer.
 */
export async function askForMoney(world: LiveWorld, player: Player, wish: Wish): Promise<string[]> {
	const { wallet, isHonest } = player;
	const { path, body, isTaken } =
		wish === "buy" ? await buy(world, player) : pay(player, wish.transfers);
	const key = crypto.randomUUID();
	const { status, text } = await world.ask(path, { body, by: wallet, key });
	const isExpected = status === isTaken || (!isHonest && PUT_OFF.has(status));
	return isExpected ? [] : [`${nameOf(player)}: ${path} was answered ${status}: ${text}`];
}

function pay({ wallet, payments }: Player, count: number) {
	const recipients = Array.from({ length: count }, somebody);
	for (const name of recipients) payments.push({ kind: "pay", name, raw: MILLI_WEI });
	const body = { fromWalletId: wallet.id, recipients, amount: "0.001", chain: "anvil" };
	return { path: TRANSFERS, body, isTaken: 202 };
}

async function buy({ market }: LiveWorld, { wallet, payments }: Player) {
	if (!market) throw new Error("nothing is for sale in this world");
	const { tokenId, body } = await market.list();
	payments.push({ kind: "buy", name: tokenId, raw: market.price });
	return { path: BUYS, body: { ...body, walletId: wallet.id }, isTaken: 201 };
}

function somebody(): Hex {
	return toHex(crypto.getRandomValues(new Uint8Array(20)));
}

import type { Hex } from "viem";
import type { LiveRound, Player } from "#test/e2e/liveness/LiveRound.ts";
import type { LiveWallet, LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";

/** Returns a wallet's state before a round, with the false answers about it. */
export async function playerOf(
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

import type { PlayedIntent, Player } from "#test/e2e/liveness/LiveRound.ts";
import type { LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";

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

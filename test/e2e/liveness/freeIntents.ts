import { isEnded } from "#test/e2e/liveness/isEnded.ts";
import type { PlayedIntent, Player } from "#test/e2e/liveness/LiveRound.ts";
import { nameOf } from "#test/e2e/liveness/nameOf.ts";
import type { LiveAnswer, LiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";
import { playedIntents } from "#test/e2e/liveness/playedIntents.ts";

const LIST = "/v1/admin/trading/intents";
const TRANSFERS = "/v1/trading/wallet-transfers";
/** Freeing an intent may bring up the next one of its wallet. */
const ROUNDS_MAX = 3;

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

async function openIntents(world: LiveWorld, players: readonly Player[]): Promise<PlayedIntent[]> {
	const intents = await playedIntents(world, players);
	return intents.filter((intent) => !isEnded(intent));
}

function nameIn(players: readonly Player[], { walletId }: PlayedIntent): string {
	return nameOf(players.find(({ wallet }) => wallet.id === walletId));
}

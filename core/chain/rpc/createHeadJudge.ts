import { blocksAheadMax } from "#core/chain/heads/blocksAheadMax.ts";
import { BLOCK_NUMBER_MAX } from "#core/chain/limits.ts";

export type HeadJudge = {
	/** Returns whether the newest block that an endpoint names is accepted. Remembers it. */
	believes(endpoint: string, claim: { block: number; nowMs: number }): boolean;
};

type Heard = { block: number; atMs: number };

/** An endpoint whose head has not moved for this long shows nothing about the chain's head. */
const MOVING_MS = 60_000;

/**
 * Makes the judge of heads, by the answers of all endpoints of a chain. A head that is implausibly
 * far ahead of the moving ones is false until a second answer agrees: another endpoint's, or, if no
 * other one contradicts it, its own next one.
 *
 * Only ahead: an endpoint that is behind is asked last anyway, and a head that jumped back counts
 * as the newest answer.
 */
export function createHeadJudge(): HeadJudge {
	const believed = new Map<string, Heard>();
	const claimed = new Map<string, Heard>();

	return {
		believes(endpoint, { block, nowMs }) {
			const isWithin = ({ block: from, atMs }: Heard) => {
				return block <= from + blocksAheadMax(nowMs - atMs);
			};
			const isAgreed = (claim: Heard) =>
				isWithin(claim) && block >= claim.block - blocksAheadMax(0);
			const isOthers = ([name, { atMs }]: [string, Heard]) => {
				return name !== endpoint && nowMs - atMs <= MOVING_MS;
			};
			const others = [...believed].filter(isOthers).map(([, heard]) => heard);
			const own = believed.get(endpoint);
			const ownClaim = claimed.get(endpoint);
			const isAlone = others.length === 0;
			const isPlausible = isAlone ? !own || isWithin(own) : others.some(isWithin);
			const second = [...claimed].filter(isOthers).map(([, heard]) => heard);
			if (isAlone && ownClaim) second.push(ownClaim);
			const isBelieved = block <= BLOCK_NUMBER_MAX && (isPlausible || second.some(isAgreed));
			if (!isBelieved) {
				claimed.set(endpoint, { block, atMs: nowMs });
				return false;
			}
			claimed.delete(endpoint);
			if (own?.block !== block) believed.set(endpoint, { block, atMs: nowMs });
			return true;
		},
	};
}

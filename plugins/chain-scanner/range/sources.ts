// Wraps lane sources: one reports nodes that lie, one picks the endpoint by distance.

import type { Rpc, RpcInconsistency } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";

/** A record, so that a kind that core adds must be decided here. */
const KINDS: Record<RpcInconsistency, true> = {
	missing_logs: true,
	hash_mismatch: true,
	duplicate_log: true,
	foreign_log: true,
	wrong_chain: true,
	head_jumped_back: true,
	head_too_far: true,
	disagreement: true,
	false_receipt: true,
	false_count: true,
	malformed: true,
};

/**
 * Makes a source that reports lying endpoints to the pool: a contradiction of a known kind makes
 * the endpoint that served it the last to be asked for a while. A missing new block is no lie, and
 * has no such kind.
 */
export function distrustingSource(source: LaneSource, rpc: Rpc): LaneSource {
	const { steps } = source;
	const reporting = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
		try {
			return await answer;
		} catch (error) {
			const kind = error instanceof Fault ? error.meta["kind"] : undefined;
			if (isKind(kind)) rpc.distrust(kind);
			throw error;
		}
	};
	return {
		...source,
		read: (range, options) => reporting(source.read(range, options)),
		...(steps && {
			steps: {
				...steps,
				ask: (range, options) => reporting(steps.ask(range, options)),
				decode: (read, range, options) => reporting(steps.decode(read, range, options)),
			},
		}),
	};
}

/**
 * Makes a lane's source whose requests within reach of reorgs are live ones, and all others
 * catch-up: they are counted separately, and wait for each other where an endpoint allows few
 * calls. What a source learns about its node it learns in both parts.
 */
export function byDistance<Source extends LaneSource>(
	{ rpcFor }: Pick<ChainAccess, "rpcFor">,
	make: (rpc: Rpc) => Source,
): Source {
	const live = make(rpcFor("live"));
	const catchUp = make(rpcFor("catch_up"));
	return {
		...live,
		sample: catchUp.sample,
		read(range, options) {
			const source = typeof options.settledBy === "number" ? catchUp : live;
			return source.read(range, options);
		},
	};
}

function isKind(kind: unknown): kind is RpcInconsistency {
	return typeof kind === "string" && Object.hasOwn(KINDS, kind);
}

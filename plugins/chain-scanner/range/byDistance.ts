import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/LaneSource.ts";

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

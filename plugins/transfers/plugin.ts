import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { transferRoutes } from "#plugins/transfers/routes.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import { transferCommands, transferTools } from "#plugins/transfers/transferTools.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** Sends ETH or ERC-20 tokens from a user's wallet to one recipient or to many. */
export const transfersPlugin = definePlugin({
	name: "transfers",
	version: "1",
	config: z.object({}),
	needs: { wallets: WalletsKey },
	setup({ core, needs: { wallets } }) {
		const ending = new AbortController();
		const served = new Map(core.reached.map((access) => [access.chain.id, access]));
		const { clock, chains } = core;
		const chainOf = (chainId: number) => served.get(chainId)?.chain ?? null;
		const rpcOf = (chainId: number) => served.get(chainId)?.rpcFor("intents") ?? null;
		wallets.execution.register(
			transferKind({ clock, chainOf, rpcOf, tokens: wallets.execution.tokens }),
		);
		const context = {
			wallets,
			log: core.log,
			chains: { ...chains, isServed: (chainId: number) => served.has(chainId) },
			rpcOf,
			newId: () => Bun.randomUUIDv7(),
			ending: ending.signal,
		};
		return {
			routes: transferRoutes(context),
			tools: transferTools(context),
			commands: transferCommands,
			stop: () => ending.abort(),
		};
	},
});

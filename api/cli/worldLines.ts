import type { World } from "#api/cli/startWorld.ts";

/**
 * What the banner says of a sandbox beside the API: its ports are new at each start, and without
 * them nobody could trade in it.
 */
export function worldLines(
	{ httpUrl, walletProviderUrl }: Pick<World, "httpUrl" | "walletProviderUrl">,
	{ hasOwnWallets }: { hasOwnWallets: boolean },
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	if (!hasOwnWallets) return [rpc];
	return [
		rpc,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have 1,000 ether each)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
	];
}

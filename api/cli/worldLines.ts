import type { World } from "#api/cli/startWorld.ts";

type WorldPart = "httpUrl" | "home" | "walletProviderUrl" | "reveals";

/**
 * What the banner says of a sandbox beside the API: its ports are new at each start, and without
 * them nobody could trade in it.
 */
export function worldLines(
	{ httpUrl, home, walletProviderUrl, reveals }: Pick<World, WorldPart>,
	{ hasOwnWallets }: { hasOwnWallets: boolean },
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	const own = `home     ${home.httpUrl}  (chain ${home.chainId}, where wallets send; the same ten)`;
	const soon = reveals.map((contract) => {
		return `reveals  ${contract}  (within three minutes: /v1/nft-market/reveals)`;
	});
	if (!hasOwnWallets) return [rpc, own, ...soon];
	return [
		rpc,
		own,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have 1,000 ether each, on both)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
		...soon,
	];
}

import type { World } from "#api/cli/startWorld.ts";

type WorldPart = "httpUrl" | "home" | "walletProviderUrl" | "reveals" | "stocks";

/**
 * What the banner says of a sandbox beside the API: its ports are new at each start, and without
 * them nobody could trade in it.
 */
export function worldLines(
	{ httpUrl, home, walletProviderUrl, reveals, stocks }: Pick<World, WorldPart>,
	{ hasOwnWallets, hasOwnStocks }: { hasOwnWallets: boolean; hasOwnStocks: boolean },
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	const own = `home     ${home.httpUrl}  (chain ${home.chainId}, where wallets send; the same ten)`;
	const soon = reveals.map((contract) => {
		return `reveals  ${contract}  (within three minutes: /v1/nft-market/reveals)`;
	});
	const listed = `stocks   ${stocks.assetsUrl}/rhj/assets  (trade at ${stocks.routerUrl}, on home)`;
	const traded = hasOwnStocks ? [listed] : [];
	if (!hasOwnWallets) return [rpc, own, ...traded, ...soon];
	return [
		rpc,
		own,
		...traded,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have ether on both, USDG and stocks)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
		...soon,
	];
}

import type { World } from "#api/cli/startWorld.ts";

type WorldPart = "httpUrl" | "home" | "walletProviderUrl" | "reveals" | "socialUrl" | "social";

/**
 * What the banner says of a sandbox beside the API: its ports are new at each start, and without
 * them nobody could trade in it.
 */
export function worldLines(
	{ httpUrl, home, walletProviderUrl, reveals, socialUrl, social }: Pick<World, WorldPart>,
	{ hasOwnWallets, hasOwnSocial }: { hasOwnWallets: boolean; hasOwnSocial: boolean },
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	const own = `home     ${home.httpUrl}  (chain ${home.chainId}, where wallets send; the same ten)`;
	const soon = reveals.map((contract) => {
		return `reveals  ${contract}  (within three minutes: /v1/nft-market/reveals)`;
	});
	const text = `{"by":"ada","text":"@${social.botUsername} floor kiln-folk"}`;
	const x = [
		`X        ${socialUrl}  (the conversation, as a page)`,
		`mention  curl -s ${socialUrl}/_sandbox/posts -d '${text}'`,
	];
	const last = hasOwnSocial ? [...x, ...soon] : soon;
	if (!hasOwnWallets) return [rpc, own, ...last];
	return [
		rpc,
		own,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have 1,000 ether each, on both)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
		...last,
	];
}

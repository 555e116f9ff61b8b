import type { Answer } from "#test/conformance/provider/emulator/Asked.ts";
import { paymentToken } from "#test/conformance/provider/emulator/answers/collections.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";
import { coins } from "#test/conformance/provider/world/coins.ts";

export const listChains: Answer = () => ({
	chains: ["ethereum", "base", "ape_chain", "zora"].map((chain) => ({
		chain,
		name: chain,
		symbol: chain === "ape_chain" ? "APE" : "ETH",
		supports_swaps: true,
		block_explorer: "Explorer",
		block_explorer_url: `https://${chain}.explorer.example`,
	})),
});

export const onePaymentToken: Answer = ({ path: { chain = "", address = "" } }) => {
	const coin = Object.values(coins).find((one) => one.address === address.toLowerCase());
	if (!coin) throw new Refusal(404, `Token ${address} not found`);
	return paymentToken(coin, chain);
};

import { z } from "zod";

const URLS_PER_CHAIN_MAX = 8;

const rpcUrl = z.string().refine(isRpcUrl, {
	message: "an RPC endpoint is a URL that begins with http://, https://, ws:// or wss://",
});

/** The endpoints of one chain, in order of preference; one alone may stand without brackets. */
export const rpcUrls = z.preprocess(
	(value) => (typeof value === "string" ? [value] : value),
	z.array(rpcUrl).min(1).max(URLS_PER_CHAIN_MAX),
);

function isRpcUrl(text: string): boolean {
	return /^(https?|wss?):\/\/\S+$/.test(text) && URL.canParse(text);
}

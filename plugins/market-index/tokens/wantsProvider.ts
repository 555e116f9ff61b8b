import { coversSupply } from "#plugins/market-index/tokens/coversSupply.ts";
import { PROVIDER_EVERY_MS, TOKENS_MAX } from "#plugins/market-index/tokens/limits.ts";
import type { TokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";
import type { Provider } from "#plugins/provider/contract.ts";

/** Says whether the provider can tell of tokens without an event or readable URI. */
export function wantsProvider(
	provider: Pick<Provider, "isOn">,
	state: Pick<TokenState, "providerSlug" | "nftsAt" | "unheard" | "tokens" | "supply">,
	nowMs: number,
): boolean {
	if (!provider.isOn || state.providerSlug === null) return false;
	if (state.nftsAt !== null && nowMs - state.nftsAt.getTime() < PROVIDER_EVERY_MS) return false;
	const isShort = state.tokens < TOKENS_MAX && !coversSupply(state.tokens, state.supply);
	return state.unheard > 0 || isShort;
}

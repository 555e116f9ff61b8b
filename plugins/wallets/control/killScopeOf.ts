import type { Intent } from "#plugins/wallets/contract.ts";
import type { KillScope } from "#plugins/wallets/control/killSql.ts";

/** The registered kind of intent with that name; null: there is none. */
export type KindOf = (name: string) => { plugin: string } | null;

/** What an operator may have switched off for an intent: a kind stands with its plugin. */
export function killScopeOf(
	{ kindOf }: { kindOf: KindOf },
	{ chainId, walletId, kind }: Pick<Intent, "chainId" | "walletId" | "kind">,
): KillScope {
	return { chainId, plugin: kindOf(kind)?.plugin ?? kind, walletId };
}

import type { Denial, Intent } from "#plugins/wallets/contract.ts";

/** What an intent is denied with where an operator switched off what it needs. */
export const switchedOff: Denial = {
	code: "trading_disabled",
	detail: "An operator has switched this off for now.",
};

/** The registered kind of intent with that name; null: there is none. */
export type KindOf = (name: string) => { plugin: string } | null;

/** What an operator can switch off, from the whole to one wallet. */
export type KillScope = { chainId: number; plugin: string; walletId: string | null };

/** How a switch that is off is read, alone or as a part of a larger statement. */
export const killSql = {
	/** Answers the switch that forbids sending. `keys` is the place of `keysOf`. */
	read: (keys: string): string =>
		`select key from wallets.control where key = any(${keys}) and value = 'true' order by key limit 1`,
	keysOf: ({ chainId, plugin, walletId }: KillScope): string[] => [
		"kill:all",
		`kill:chain:${chainId}`,
		`kill:plugin:${plugin}`,
		...(walletId === null ? [] : [`kill:wallet:${walletId}`]),
	],
};

/** Says what an operator may have switched off for an intent: a kind stands with its plugin. */
export function killScopeOf(
	{ kindOf }: { kindOf: KindOf },
	{ chainId, walletId, kind }: Pick<Intent, "chainId" | "walletId" | "kind">,
): KillScope {
	return { chainId, plugin: kindOf(kind)?.plugin ?? kind, walletId };
}

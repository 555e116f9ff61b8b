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

import type { TradingSetting } from "#plugins/wallets/contract.ts";
import { controlFault } from "#plugins/wallets/control/faults.ts";

/** The setting a key belongs to, and what the key names in it. */
export function findSetting(
	settings: readonly TradingSetting[],
	key: string,
): { setting: TradingSetting; named: string | null } {
	for (const setting of settings) {
		const match = setting.key.exec(key);
		// The whole key, also where somebody's pattern forgot to say so.
		if (match?.[0] === key) return { setting, named: match[1] ?? null };
	}
	const known = settings.map(({ shown }) => shown);
	throw controlFault.settingUnknown({
		public: `There is no such setting. There are: ${known.join(", ")}.`,
		members: { known },
	});
}

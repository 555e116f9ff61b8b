import type { Audit } from "#core/audit/Audit.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import { flatIssues } from "#core/http/flatIssues.ts";
import { issueWords } from "#core/http/issueWords.ts";
import type { TradingSetting } from "#plugins/wallets/contract.ts";
import { controlFault } from "#plugins/wallets/control/faults.ts";
import { lockSwitches } from "#plugins/wallets/control/lockSwitches.ts";
import {
	SETTING_VALUE_BYTES_MAX,
	type SettingRow,
	settingRows,
} from "#plugins/wallets/control/sql/settingRows.ts";

export type SettingChange = { key: string; value: unknown; actor: string; at: Date };

export type SettingChanged = SettingRow & {
	/** Null where nobody had set it. */
	previous: unknown;
};

/**
 * Changes a setting and writes down who did, both or neither.
 *
 * It waits for the senders that have already asked, and those that come wait for it: once its
 * transaction is committed, nobody who read the old value can still commit. One that changes
 * nothing is written down too: somebody made sure.
 */
export async function changeSetting(
	tx: Tx,
	change: SettingChange,
	{ settings, audit }: { settings: readonly TradingSetting[]; audit: Audit },
): Promise<SettingChanged> {
	const { key, at } = change;
	const { setting, named } = findSetting(settings, key);
	const value = readValue(setting, change.value);
	const flaw = named === null ? null : await setting.flaw?.(tx, named);
	if (flaw) throw controlFault.settingUnknown({ public: flaw });
	await lockSwitches(tx, "operator");
	const before = await settingRows.read(tx, key);
	const changedBy = `operator:${change.actor}`;
	await settingRows.write(tx, { key, value: value.text, changedBy, changedAt: at });
	const previous = before?.value ?? null;
	await audit.append(tx, {
		actor: changedBy,
		action: "trading.setting.changed",
		subject: `setting:${key}`,
		detail: { before: previous, after: value.parsed },
	});
	return { key, value: value.parsed, previous, changedBy, changedAt: at };
}

/** Reads a value as the setting's schema makes it, and as the JSON text that is stored. */
function readValue(setting: TradingSetting, given: unknown): { parsed: unknown; text: string } {
	const read = setting.schema.safeParse(given, { error: issueWords });
	if (!read.success) {
		const issues = flatIssues(read.error.issues).map(({ path, message }) => {
			return { path: path === "" ? "value" : `value.${path}`, message };
		});
		throw controlFault.settingInvalid({
			public: `${setting.shown} does not take that value: ${issues[0]?.message}`,
			members: { issues },
		});
	}
	const text = JSON.stringify(read.data);
	assert(typeof text === "string", `the schema of ${setting.shown} makes JSON`);
	if (Buffer.byteLength(text) > SETTING_VALUE_BYTES_MAX) {
		throw controlFault.settingInvalid({
			public: `A setting's value has at most ${SETTING_VALUE_BYTES_MAX} bytes of JSON.`,
		});
	}
	return { parsed: read.data, text };
}

/** Finds the setting that a key belongs to, and what the key names in it. */
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

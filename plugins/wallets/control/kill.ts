// Holds the switches by which operators stop sending, from all of it to one wallet.

import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import type { TradingSetting } from "#plugins/wallets/Wallets.ts";

/** The registered kind of intent with that name; null: there is none. */
export type KindOf = (name: string) => { plugin: string } | null;

/** Holds what an operator can switch off, from everything to one wallet. */
export type KillScope = { chainId: number; plugin: string; walletId: string | null };

/** Names a chain, a plugin or a wallet that can be switched off. */
export type Killable = {
	chains: Pick<ChainRegistry, "byId">;
	/**
	 * Returns the plugins. Called for each request: plugins register their kinds while they are set
	 * up.
	 */
	plugins(): Iterable<string>;
};

/** Denies an intent because an operator switched off what it needs. */
export const switchedOff: Denial = {
	code: "trading_disabled",
	detail: "An operator has switched this off for now.",
};

/** Builds the SQL that reads kill switches, alone or as a part of a larger statement. */
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

/** The advisory lock between those who send and those who switch them off: see `lockSwitches`. */
export const switchLockKey = 7_401_663;

const schema = z.boolean();

/** Returns the denial if an operator switched off what an intent needs; null: nothing is off. */
export async function killDenial(
	deps: { kindOf: KindOf },
	tx: Tx,
	intent: Intent,
): Promise<Denial | null> {
	const killed = await readKill(tx, killScopeOf(deps, intent));
	return killed === null ? null : switchedOff;
}

/**
 * Returns what an operator may have switched off for an intent: its kind is off with its plugin.
 */
export function killScopeOf(
	{ kindOf }: { kindOf: KindOf },
	{ chainId, walletId, kind }: Pick<Intent, "chainId" | "walletId" | "kind">,
): KillScope {
	return { chainId, plugin: kindOf(kind)?.plugin ?? kind, walletId };
}

/** Reads the switch that forbids sending; null: none. In the transaction that reserves. */
export async function readKill(tx: Tx, scope: KillScope): Promise<string | null> {
	const locked = lockSwitches(tx, "sender");
	// Sent together, run one after the other: it reads what stands once the lock is held.
	const reading = tx.query<{ key: string }>(killSql.read("$1"), [killSql.keysOf(scope)]);
	const [, rows] = await Promise.all([locked, reading]);
	return rows[0]?.key ?? null;
}

/**
 * Takes the lock between senders and operators who change a switch. Senders share it: once a switch
 * has committed, no sender that read it as "on" can still commit.
 */
export async function lockSwitches(tx: Tx, as: "sender" | "operator"): Promise<void> {
	const lock = as === "sender" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock";
	await tx.query(`select ${lock}($1)`, [switchLockKey]);
}

/**
 * Lists the switches that hold money back, from all of it to one wallet's. `readKill` reads them.
 *
 * A switch for what does not exist is refused: who mistypes a name on a bad day would believe that
 * it is off.
 */
export function killSettings({ chains, plugins }: Killable): TradingSetting[] {
	return [
		{
			shown: "kill:all",
			key: /^kill:all$/,
			schema,
			description: "Nothing is sent for anybody. What was not sent yet can still be called off.",
		},
		{
			shown: "kill:chain:<id>",
			key: /^kill:chain:([1-9]\d{0,15})$/,
			schema,
			description: "Nothing is sent on that chain, by its number.",
			async flaw(_db, id) {
				return chains.byId(Number(id)) ? null : `No chain has the id ${id}.`;
			},
		},
		{
			shown: "kill:plugin:<name>",
			key: /^kill:plugin:([a-z][a-z0-9-]{0,63})$/,
			schema,
			description: "Nothing is sent that the plugin of that name asks for.",
			async flaw(_db, name) {
				const known = [...new Set(plugins())].sort();
				if (known.includes(name)) return null;
				return `No plugin called ${name} sends anything. There are: ${known.join(", ") || "none"}.`;
			},
		},
		{
			shown: "kill:wallet:<id>",
			key: /^kill:wallet:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
			schema,
			description: "Nothing is sent from that wallet, by the id it has here.",
			flaw: walletFlaw,
		},
	];
}

async function walletFlaw(db: Queryable, id: string): Promise<string | null> {
	const rows = await db.query("select 1 from wallets.wallet where id = $1", [id]);
	return rows.length > 0 ? null : `No wallet has the id ${id}.`;
}

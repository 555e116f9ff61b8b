import type pg from "pg";

/**
 * Sets whether an open connection alone keeps this process from ending.
 *
 * `pg` has `ref` and `unref`, but its types lack them.
 */
export function keepProcessAlive(client: pg.Client, keep: boolean): void {
	const name = keep ? "ref" : "unref";
	const method: unknown = Reflect.get(client, name);
	if (typeof method === "function") method.call(client);
}

import { createHash } from "node:crypto";

export type RedisKeyParts = { deployment: string; kind: string; name: string };

/** 128 bits: two clients must never share an allowance by accident or on purpose. */
const DIGEST_CHARACTERS = 32;

/**
 * The key of a named thing.
 *
 * The name is hashed, so that any text is a name, keys stay short and a client's address cannot be
 * read from a dump. What stands in braces decides the slot of a Redis Cluster: keys of one name
 * lie together whatever their kind, and different names spread.
 */
export function redisKey({ deployment, kind, name }: RedisKeyParts): string {
	const digest = createHash("sha256").update(name).digest("hex").slice(0, DIGEST_CHARACTERS);
	return `tapeline:${deployment}:${kind}:{${digest}}`;
}

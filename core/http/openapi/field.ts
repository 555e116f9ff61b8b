import { z } from "zod";

const TIME = "2026-03-01T12:00:00.000Z";
const ADDRESS = "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984";
const HASH = `0x${"5d".repeat(32)}`;
const ID = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";
const hex = z.templateLiteral(["0x", z.string()]);

/**
 * Members of answers, each with its documentation: meaning, unit, and an example.
 *
 * At run time they stay wide: a number is any number, an address any text after 0x. Narrower facts
 * (integer, format, pattern) are in the documents, and tests check real answers against them. An
 * answer that breaks one is our mistake, but no reason to answer 500.
 *
 * @example ownersCount: field.integer("Distinct owners.", 3_120).nullable()
 */
export const field = {
	text: (description: string, example: string) =>
		z.string().meta({ description, examples: [example] }),
	flag: (description: string) => z.boolean().meta({ description }),
	number: (description: string, example: number) =>
		z.number().meta({ description, examples: [example] }),
	integer: (description: string, example: number) =>
		z.number().meta({ type: "integer", description, examples: [example] }),
	/** A time as ISO 8601 in UTC with milliseconds. */
	time: (description: string) =>
		z.string().meta({ format: "date-time", description, examples: [TIME] }),
	/** An amount in the smallest unit of its currency, or a count that may exceed 2^53. */
	digits: (description: string, example: string) =>
		z.string().meta({ pattern: "^(0|[1-9][0-9]*)$", description, examples: [example] }),
	/** An amount in whole units of its currency, exact. */
	decimal: (description: string, example: string) =>
		z.string().meta({ pattern: "^[0-9]+(\\.[0-9]+)?$", description, examples: [example] }),
	address: (description: string) =>
		hex.meta({ pattern: "^0x[0-9a-f]{40}$", description, examples: [ADDRESS] }),
	hash: (description: string) =>
		hex.meta({ pattern: "^0x[0-9a-f]{64}$", description, examples: [HASH] }),
	/** The two above, for answers whose type is a plain string. */
	addressText: (description: string) =>
		z.string().meta({ pattern: "^0x[0-9a-f]{40}$", description, examples: [ADDRESS] }),
	hashText: (description: string) =>
		z.string().meta({ pattern: "^0x[0-9a-f]{64}$", description, examples: [HASH] }),
	id: (description: string) => z.string().meta({ format: "uuid", description, examples: [ID] }),
	url: (description: string, example = "https://example.com/cats/6529.png") =>
		z.string().meta({ format: "uri", description, examples: [example] }),
};

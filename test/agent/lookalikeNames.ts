// Makes names that look like those of collections, and are not theirs.

/** Collections that exist, by the names that people know. */
export const knownNames = (
	"azuki,doodles,otherdeed,quiet machines,kiln folk,moonbirds,pudgy penguins,cool cats,signal pigeons," +
	"art blocks,void racers,rust foxes,paper samurai,glass herons,tin wizards,neon bishops,velvet otters," +
	"chrome geckos,wolf parade,salt and ember,the captainz,world of women,night ferry,kongs of war,lazy lions"
).split(",");

/** Ways in which a name can resemble another: more words, fewer, joined, one letter off. */
const WAYS: readonly ((name: string) => string)[] = [
	(name) => `${name} elementals`,
	(name) => `${name} expanded`,
	(name) => `${name} v2`,
	(name) => `mutant ${name}`,
	(name) => `baby ${name}`,
	(name) => `${name} 2`,
	(name) => `${name} genesis`,
	(name) => (name.includes(" ") ? name.replaceAll(" ", "") : `${name}zz`),
	(name) => `${name.slice(0, 2)}${name.slice(3)}`,
	(name) => name.slice(0, -1),
	(name) => (name.includes(" ") ? (name.split(" ").at(-1) ?? "") : name.slice(0, 3)),
	(name) => `${name.slice(0, 3)}${name[2]}${name.slice(3)}`,
	(name) => `beanz of ${name}`,
	(name) => `${name} and beanz`,
	(name) => `beanz by ${name}`,
	(name) => `${name} the second`,
	(name) => `little ${name}`,
	(name) => `${name} kids`,
];

/** Each look-alike with the collection that it is not. */
export const lookalikes: readonly (readonly [typed: string, known: string])[] = knownNames.flatMap(
	(name) => WAYS.map((way) => [way(name), name] as const),
);

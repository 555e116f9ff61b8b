/** Labels with a dot between them, none empty; what a URL's parser made of the name. */
const DOTTED_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
const OWN_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Tells whether a name, as a URL parser writes it, may be on the public network. Names are not
 * looked up.
 */
export function isPublicName(host: string): boolean {
	return DOTTED_NAME.test(host) && !OWN_NAME.test(host);
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC165} from "@openzeppelin/contracts/interfaces/IERC165.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {SandboxArt} from "./SandboxArt.sol";

struct Setup721 {
	string name;
	string symbol;
	string about;
	uint256 price;
	uint256 maxSupply;
	uint256 hue;
	uint256 motif;
	bool hidden;
}

/// One believable collection: paid, free or reserved mint, a supply limit, and an optional late reveal (ERC-4906).
contract Sandbox721 is ERC721, ERC2981, IERC4906 {
	using Strings for uint256;

	error WrongPayment(uint256 expected);
	error SoldOut();
	error NotOwner();

	event ContractURIUpdated();

	address public immutable owner;
	uint256 public immutable price;
	uint256 public immutable maxSupply;
	uint256 private immutable hue;
	uint256 private immutable motif;
	uint256 public totalSupply;
	bool public revealed;
	string private about;

	constructor(Setup721 memory s) ERC721(s.name, s.symbol) {
		owner = msg.sender;
		(price, maxSupply, hue, motif, about) = (s.price, s.maxSupply, s.hue, s.motif, s.about);
		revealed = !s.hidden;
		_setDefaultRoyalty(msg.sender, 500);
	}

	function mint(address to, uint256 quantity) external payable {
		if (msg.value != price * quantity) revert WrongPayment(price * quantity);
		_mintMany(to, quantity);
	}

	function reserve(address to, uint256 quantity) external {
		if (msg.sender != owner) revert NotOwner();
		_mintMany(to, quantity);
	}

	function reveal() external {
		if (msg.sender != owner) revert NotOwner();
		revealed = true;
		emit BatchMetadataUpdate(1, totalSupply);
		emit ContractURIUpdated();
	}

	function contractURI() external view returns (string memory) {
		return SandboxArt.json(string.concat(
			'{"name":"', name(), '","description":"', about,
			'","image":"', SandboxArt.image(hue, motif, uint160(address(this))), '"}'
		));
	}

	function tokenURI(uint256 id) public view override returns (string memory) {
		_requireOwned(id);
		if (!revealed) {
			// Every id answers the very same placeholder: that is how a reveal is noticed.
			return SandboxArt.json(string.concat(
				'{"name":"', name(), ' (unrevealed)","description":"Opens later.","image":"', SandboxArt.image(hue, 3, 0), '"}'
			));
		}
		uint256 seed = uint256(keccak256(abi.encode(hue, id)));
		return SandboxArt.json(string.concat(
			'{"name":"', name(), " #", id.toString(), '","description":"', about,
			'","image":"', SandboxArt.image(hue, motif, seed), '","attributes":', SandboxArt.traits(seed), "}"
		));
	}

	function supportsInterface(bytes4 id) public view override(ERC721, ERC2981, IERC165) returns (bool) {
		return id == 0x49064906 || ERC721.supportsInterface(id) || ERC2981.supportsInterface(id);
	}

	function _mintMany(address to, uint256 quantity) private {
		uint256 next = totalSupply;
		if (next + quantity > maxSupply) revert SoldOut();
		for (uint256 i = 1; i <= quantity; i++) _mint(to, next + i);
		totalSupply = next + quantity;
	}
}

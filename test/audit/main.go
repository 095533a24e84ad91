// Audits a transparency log of Earmark with the implementation of the Go checksum database: signed notes, tiles, proofs of inclusion
// and consistency. It shares no code with Earmark.
//
//	audit PREFIX KEY EARLIER PROOF: the URL of the log, its verifier key, an earlier checkpoint and a receipt (C2SP tlog-proof) as files.
//
// The access token is in TOKEN.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// A checkpoint has the origin of its log in its first line, and otherwise the form of tlog.Tree.
func openCheckpoint(text []byte, verifier note.Verifier) tlog.Tree {
	signed, err := note.Open(text, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		log.Fatalf("the checkpoint does not have three lines, or another origin: %q", signed.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	hash, err := tlog.ParseHash(lines[2])
	check(err)
	return tlog.Tree{N: size, Hash: hash}
}

type reader struct{ prefix string }

func (r reader) get(path string) ([]byte, error) {
	request, err := http.NewRequest("GET", r.prefix+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func (r reader) Height() int { return height }

// The checksum database has the height of tiles in their paths, tlog-tiles does not.
func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		bytes, err := r.get("/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}

// The entries of a tree, through its bundles.
func (r reader) entries(size int64) [][]byte {
	var entries [][]byte
	for first := int64(0); first < size; first += 1 << height {
		tile := tlog.Tile{H: height, L: 0, N: first >> height, W: int(min(1<<height, size-first))}
		bundle, err := r.get("/" + strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		check(err)
		for len(bundle) > 0 {
			length := 2 + int(binary.BigEndian.Uint16(bundle))
			entries = append(entries, bundle[2:length])
			bundle = bundle[length:]
		}
	}
	return entries
}

// checkProof checks a receipt without the service: its checkpoint, and the way from its entry to the root.
func checkProof(text string, verifier note.Verifier) {
	head, checkpoint, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		log.Fatal("the receipt is not a tlog-proof")
	}
	entry, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err)
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	check(err)
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		check(err)
		proof = append(proof, hash)
	}
	tree := openCheckpoint([]byte(checkpoint), verifier)
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("audit: ")
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	r := reader{os.Args[1]}
	newest, err := r.get("/checkpoint")
	check(err)
	tree := openCheckpoint(newest, verifier)
	// Reads tiles, and checks each of them against the root.
	hashes := tlog.TileHashReader(tree, r)
	entries := r.entries(tree.N)
	if int64(len(entries)) != tree.N {
		log.Fatalf("%d entries in a tree of %d", len(entries), tree.N)
	}
	for index, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(index), hashes)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(index), tlog.RecordHash(entry)))
	}
	text, err := os.ReadFile(os.Args[3])
	check(err)
	earlier := openCheckpoint(text, verifier)
	proof, err := tlog.ProveTree(tree.N, earlier.N, hashes)
	check(err)
	check(tlog.CheckTree(proof, tree.N, tree.Hash, earlier.N, earlier.Hash))
	receipt, err := os.ReadFile(os.Args[4])
	check(err)
	checkProof(string(receipt), verifier)
	fmt.Printf("%d entries are in the tree, which extends that of %d entries; the receipt holds\n", tree.N, earlier.N)
}

package linearizability

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mustDraw(t *testing.T, h *History, report Report) string {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, WriteHTML(&page, h, report))
	assert.LessOrEqual(t, page.Len(), PictureBytesMax)
	requireLabel(t, page.String(), "<html")
	return page.String()
}

// requireLabel does not print the page when it fails.
func requireLabel(t *testing.T, page, label string) {
	t.Helper()
	if !strings.Contains(page, label) {
		t.Fatalf("the page lacks %s", label)
	}
}

func TestPictureOfAViolationShowsTheConflict(t *testing.T) {
	t.Parallel()
	h := registerHistory().during(0, 1, write("a")).during(2, 3, write("b")).
		during(4, 5, read("a")).from(6, write("c")).during(7, 8, read("c")).history
	for i := range h.Operations {
		h.Operations[i].Client += 1_000_000
	}
	report := mustCheck(t, &h, CheckOptions{})
	page := mustDraw(t, &h, report)
	for _, label := range []string{
		`write(\"b\")`, `read() -\u003e \"a\"`, `write(\"c\") -\u003e ?`,
		"client 1000002, id 0, called at 4, returned at 5 step",
		"client 1000003, id 0, called at 6 step, never answered",
		`"Tag":"verdict"`, `"Tag":"conflict"`, "whose answer misses it", "5 operations drawn",
	} {
		requireLabel(t, page, label)
	}
	assert.Equal(t, 2, strings.Count(page, `"Tag":"conflict"`))
	assert.NotContains(t, page, `"ClientId":1000`, "rows have gaps")
}

func TestPictureOfALinearizableHistoryShowsItsOrder(t *testing.T) {
	t.Parallel()
	h := kvHistory().during(0, 1, put("a")).during(2, 9, appended("b")).
		during(3, 8, get("ab")).history
	page := mustDraw(t, &h, mustCheck(t, &h, CheckOptions{}))
	requireLabel(t, page, `"StateDescription":"\u0026#34;ab\u0026#34;"`)
	requireLabel(t, page, "linearizable: 3 operations in 1 partitions")
	assert.NotContains(t, page, `"Tag":"conflict"`)
}

// Values come from whoever was tested, and the page is opened in a browser.
func TestValuesCannotWriteIntoThePage(t *testing.T) {
	t.Parallel()
	const script = "<script>alert(1)</script>"
	h := registerHistory().during(0, 1, write(script)).during(2, 3, read(script)).history
	page := mustDraw(t, &h, mustCheck(t, &h, CheckOptions{}))
	assert.NotContains(t, page, "<script>alert")
	assert.NotContains(t, page, `\u003cscript\u003ealert(1)\u003c/script\u003e"}`,
		"a state would become HTML in the page's tooltip")
	requireLabel(t, page, `\u0026lt;script\u0026gt;`)
}

func TestPicturesOfLargeHistoriesStaySmall(t *testing.T) {
	t.Parallel()
	drawn := func(page string) int { return strings.Count(page, `"OriginalStart"`) }
	options := GenerateOptions{
		Seed: 2, Model: Register, Operations: 10_000, Clients: 8, Keys: 4, UnknownShare: 0.02,
		Plant: PlantNone,
	}
	t.Run("of a linearizable one the beginning is drawn", func(t *testing.T) {
		t.Parallel()
		h := mustGenerate(t, options)
		page := mustDraw(t, h, mustCheck(t, h, CheckOptions{}))
		assert.Equal(t, pictureOperationsMax, drawn(page))
	})
	t.Run("of a violation the witness is drawn", func(t *testing.T) {
		t.Parallel()
		planted := options
		planted.Plant = PlantStaleRead
		h := mustGenerate(t, planted)
		page := mustDraw(t, h, mustCheck(t, h, CheckOptions{}))
		assert.Equal(t, 3, drawn(page))
	})
	t.Run("... and without a witness the place where no order goes on", func(t *testing.T) {
		t.Parallel()
		planted := options
		planted.Plant = PlantPhantomValue
		h := mustGenerate(t, planted)
		page := mustDraw(t, h, mustCheck(t, h, CheckOptions{SkipWitness: true}))
		requireLabel(t, page, "phantom")
		assert.Equal(t, pictureOperationsMax, drawn(page))
	})
	t.Run("of an undecided one the place where it stopped is drawn", func(t *testing.T) {
		t.Parallel()
		h := mustGenerate(t, options)
		report := mustCheck(t, h, CheckOptions{StepsMax: 2_000})
		require.Equal(t, Undecided, report.Verdict)
		require.Greater(t, report.Partitions[0].Linearized, pictureOperationsMax)
		page := mustDraw(t, h, report)
		requireLabel(t, page, "undecided (out of steps)")
		assert.Equal(t, pictureOperationsMax, drawn(page))
	})
}

func TestPictureOfNothingSaysSo(t *testing.T) {
	t.Parallel()
	h := registerHistory().history
	page := mustDraw(t, &h, mustCheck(t, &h, CheckOptions{}))
	requireLabel(t, page, "linearizable: 0 operations in 0 partitions")
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestFailingDestinationsAreReported(t *testing.T) {
	t.Parallel()
	h := registerHistory().during(0, 1, write("a")).history
	require.ErrorIs(t, WriteHTML(brokenWriter{}, &h, mustCheck(t, &h, CheckOptions{})), errBroken)
	require.ErrorIs(t, WriteHistory(brokenWriter{}, &h), errBroken)
}

// Fields of time zones: a list under the field, with search.
(function () {
  "use strict";

  // A list of time zones under the input: arrows, Enter and Escape as in every list with search.
  function offerZones(input) {
    var zones = Array.prototype.map.call(document.getElementById(input.getAttribute("list")).options, function (option) {
      return { name: option.value, words: option.textContent };
    });
    var list = document.createElement("ul");
    list.id = "zone-list";
    list.className = "zone-list";
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Matching zones");
    // Without this attribute the browser does not open a second list of its own.
    input.removeAttribute("list");
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", list.id);
    input.after(list);
    var chosen = -1;
    var before = input.value;

    function matches(text) {
      var wanted = text.trim().toLowerCase().replace(/\s+/g, "_");
      return zones.filter(function (zone) {
        return zone.name.toLowerCase().indexOf(wanted) >= 0 || zone.words.indexOf(text.trim().toLowerCase()) >= 0;
      });
    }
    function open(found) {
      list.textContent = "";
      found.forEach(function (zone, index) {
        var item = document.createElement("li");
        item.id = "zone-" + index;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.dataset.zone = zone.name;
        item.append(zone.name.replace(/_/g, " "));
        if (zone.words) {
          var words = document.createElement("span");
          words.textContent = zone.words;
          item.append(words);
        }
        list.append(item);
      });
      chosen = -1;
      list.hidden = !found.length;
      list.style.top = input.offsetTop + input.offsetHeight + "px";
      input.setAttribute("aria-expanded", String(!list.hidden));
      input.removeAttribute("aria-activedescendant");
    }
    function close() {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    }
    function move(step) {
      if (list.hidden) open(zones);
      var items = list.children;
      if (items[chosen]) items[chosen].setAttribute("aria-selected", "false");
      chosen = Math.max(0, Math.min(items.length - 1, chosen + step));
      if (!items[chosen]) return;
      items[chosen].setAttribute("aria-selected", "true");
      items[chosen].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", items[chosen].id);
    }
    function take(item) {
      input.value = item.dataset.zone;
      close();
      tell();
    }
    // Tells the others what is in the field now; the list stays closed.
    function tell() {
      before = input.value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    function isZone(name) {
      return zones.some(function (zone) { return zone.name === name; });
    }

    // The whole list first: the value in the field is what the user wants to change.
    input.addEventListener("focus", function () { before = input.value; input.select(); });
    input.addEventListener("click", function () { if (list.hidden) open(zones); });
    input.addEventListener("input", function (event) {
      if (input.value === before) return;
      open(matches(input.value));
      // Words of a search are no zone yet, and no problem.
      if (!list.hidden && !isZone(input.value)) event.stopPropagation();
      else before = input.value;
    });
    input.addEventListener("keydown", function (event) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        move(event.key === "ArrowDown" ? 1 : -1);
      } else if (event.key === "Enter" && !list.hidden) {
        event.preventDefault();
        var item = list.children[Math.max(chosen, 0)];
        if (item) take(item);
      } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
      }
    });
    input.addEventListener("blur", function () {
      close();
      if (input.value !== before) tell();
    });
    // Before blur, which would close the list.
    list.addEventListener("mousedown", function (event) {
      event.preventDefault();
      var item = event.target.closest("li");
      if (item) take(item);
    });
  }

  document.querySelectorAll("[data-zones]").forEach(offerZones);
})();
